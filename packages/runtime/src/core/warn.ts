interface WarningHost {
  emitWarning?: (message: string, options: { type: string; code: string }) => void
}

/** Emits a process warning where the host has those, and writes to the console elsewhere. @public */
export function warn(message: string, code: string): void {
  const host = (globalThis as { process?: WarningHost }).process
  if (typeof host?.emitWarning === 'function') host.emitWarning(message, { type: 'ConcordWarning', code })
  else console.warn(`${code}: ${message}`)
}
