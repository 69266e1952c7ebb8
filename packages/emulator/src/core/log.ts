/** How serious an entry of the log is. @public */
export type LogLevel = 'info' | 'warn' | 'error'

/** Takes what the emulator has to say. Without one, nothing is written anywhere. @public */
export type Log = (level: LogLevel, message: string) => void

/** Keeps quiet. */
export const silentLog: Log = () => {}
