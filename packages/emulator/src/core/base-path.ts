import { EmulatorOptionsError } from './errors.ts'

/** Checks what every path under an address starts with, for instance `/tenant`; empty for nothing. */
export function toBasePath(path: string, name = 'basePath'): string {
  if (path === '' || /^(\/[\w.~-]+)+$/.test(path)) return path
  throw new EmulatorOptionsError(`${name} must be like /tenant or /tenant/a, not "${path}".`)
}
