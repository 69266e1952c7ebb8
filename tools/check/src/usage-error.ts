/**
 * Returns the message of an error from `parseArgs`. Adds a period if there isn't one, and removes Node's advice about
 * positional arguments that start with a hyphen.
 */
export function usageError(error: unknown): string {
  return (error as Error).message.replace(/(?:\. To specify a positional argument .*|\.)?$/s, '.')
}
