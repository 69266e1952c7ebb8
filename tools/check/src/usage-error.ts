/**
 * Returns the message of an error from `parseArgs`, with a period at the end and without Node's advice about
 * positional arguments that start with a hyphen.
 */
export function usageError(error: unknown): string {
  return (error as Error).message.replace(/(?:\. To specify a positional argument .*|\.)?$/s, '.')
}
