/** Returns the message of an error of `parseArgs` as one sentence. Leaves out Node's advice about arguments with a hyphen. */
export function usageError(error: unknown): string {
  return (error as Error).message.replace(/(?:\. To specify a positional argument .*|\.)?$/s, '.')
}
