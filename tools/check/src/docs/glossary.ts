/** The maximum number of terms, so that the glossary can be read in one go. */
const MAX_TERMS = 15

/** Checks that the glossary is short, and that other pages use each of its terms. */
export function checkGlossary(glossary: string, otherPages: string): string[] {
  const terms = [...glossary.matchAll(/^\| \*\*(.+?)\*\* \|/gm)].map(([, term = '']) => term)
  const problems = terms
    .filter((term) => !new RegExp(`\\b${term}s?\\b`, 'i').test(otherPages))
    .map((term) => `docs/glossary.md explains \`${term}\`, but no other page uses this term`)
  if (terms.length > MAX_TERMS)
    problems.push(`docs/glossary.md explains ${terms.length} terms; ${MAX_TERMS} are allowed`)
  return problems
}
