/**
 * The absolute http or https address that a base address stands for: itself, or, in a browser, a path such as `/api` at
 * the origin of the page (or worker). Undefined if it is neither.
 */
export function absoluteAddress(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  if (/^https?:\/\//i.test(value)) return value
  // Two slashes begin the name of another host.
  if (!/^\/(?![/\\])/.test(value)) return undefined
  const { origin } = (globalThis as { location?: { origin?: unknown } }).location ?? {}
  return typeof origin === 'string' && /^https?:\/\//i.test(origin) ? origin + value : undefined
}
