interface WarningHost {
  emitWarning?: (message: string, options: { type: string; code: string }) => void
}

/** Warns whoever runs the process: as a process warning where there is one, on the console elsewhere. */
export function warn(message: string, code: string): void {
  const host = (globalThis as { process?: WarningHost }).process
  if (typeof host?.emitWarning === 'function') host.emitWarning(message, { type: 'ConcordWarning', code })
  else console.warn(`${code}: ${message}`)
}
