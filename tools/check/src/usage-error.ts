/** Returns a `parseArgs` error's message as one sentence, without Node's advice about arguments with a hyphen. */
export function usageError(error: unknown): string {
  return (error as Error).message.replace(/(?:\. To specify a positional argument .*|\.)?$/s, '.')
}
