/** Returns what `parseArgs` threw as a sentence, without its advice about arguments that begin with a hyphen. */
export function usageError(error: unknown): string {
  return (error as Error).message.replace(/(?:\. To specify a positional argument .*|\.)?$/s, '.')
}
