/**
 * Returns the message of an error from `parseArgs`, shortened to one sentence: without Node's advice about arguments
 * that start with a hyphen.
 */
export function usageError(error: unknown): string {
  return (error as Error).message.replace(/(?:\. To specify a positional argument .*|\.)?$/s, '.')
}
