/**
 * Leaves in the issue of a union only the issues of the branch that a value is meant for: the one that its discriminator
 * names. Changes nothing if it names none. It decides only what is said about a value, never whether it is accepted.
 *
 * @param otherwise The branch that is meant without a discriminator; -1 for none.
 */
export function byDiscriminator(
  property: string,
  branches: { readonly [value: string]: number },
  otherwise = -1,
): { readonly error: (issue: { readonly input?: unknown; readonly errors?: unknown }) => undefined } {
  return {
    error({ input, errors }) {
      if (!Array.isArray(errors) || typeof input !== 'object' || input === null) return undefined
      const value = (input as Record<string, unknown>)[property]
      const named = typeof value === 'string' && Object.hasOwn(branches, value) ? branches[value] : undefined
      const meant: unknown = errors[named ?? (value === undefined ? otherwise : -1)]
      if (Array.isArray(meant) && meant.length > 0) errors.splice(0, errors.length, meant)
      return undefined
    },
  }
}
