/** Tells what is being done, on stderr: in one line that is overwritten, or, where that cannot be, not at all. */
export interface Progress {
  tell(text: string): void
  done(): void
}

export function terminalProgress(stream: NodeJS.WriteStream): Progress {
  if (!stream.isTTY) return silentProgress
  const write = (text: string) => stream.write(`\r\u001B[K${text.slice(0, stream.columns - 1)}`)
  return { tell: write, done: () => void write('') }
}

export const silentProgress: Progress = { tell: () => undefined, done: () => undefined }
