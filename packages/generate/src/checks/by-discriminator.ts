/**
 * Returns parameters for `z.union` that limit the reported issues to one branch. The value's discriminator selects
 * the branch. If the value selects no branch, the issues of all branches are reported.
 *
 * @param otherwise The index of the branch for values without a discriminator; -1 if the union has no such branch.
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
