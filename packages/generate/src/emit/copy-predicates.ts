import ts from 'typescript'

import { predicateSources } from '../own-files.ts'

/** The declaration of a predicate, and the text of its file. */
interface Declaration {
  readonly statement: ts.Statement
  readonly text: string
}

let read: ReadonlyMap<string, Declaration> | undefined

/** All predicates of this package and the declarations that they use, by name, in the order of their files. */
function declarations(): ReadonlyMap<string, Declaration> {
  read ??= new Map(
    predicateSources.flatMap(({ file, text }) => {
      const { statements } = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true)
      return statements.flatMap((statement) =>
        names(statement).map((name) => [name, { statement, text }] as const),
      )
    }),
  )
  return read
}

/** The names of the predicates that a generated text uses. */
export function predicatesIn(text: string): string[] {
  // Members such as `isInteger` in `Number.isInteger`, and strings such as `'isUri'` in `value['isUri']`, don't count.
  const words = new Set(text.match(/(?<![.\w'])\w+/g))
  return [...declarations()].filter(([name, one]) => words.has(name) && isExported(one)).map(([name]) => name)
}

/** Copies of predicates, and of the declarations that they use. */
export function copyPredicates(used: readonly string[]): string[] {
  const all = declarations()
  const wanted = new Set<Declaration>()
  const want = (name: string): void => {
    const declaration = all.get(name)
    if (!declaration || wanted.has(declaration)) return
    wanted.add(declaration)
    const visit = (node: ts.Node): void => {
      const isMember = ts.isPropertyAccessExpression(node.parent) && node.parent.name === node
      if (ts.isIdentifier(node) && !isMember) want(node.text)
      node.forEachChild(visit)
    }
    visit(declaration.statement)
  }
  for (const name of used) {
    if (!all.has(name)) throw new Error(`src/checks has no check ${name}`)
    want(name)
  }
  return [...new Set(all.values())].filter((declaration) => wanted.has(declaration)).map(withComment)
}

/**
 * Whether a declaration is exported, and therefore a predicate. Other declarations are copied only with predicates
 * that use them.
 */
function isExported({ statement }: Declaration): boolean {
  return (
    ts.isFunctionDeclaration(statement) &&
    (statement.modifiers ?? []).some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword)
  )
}

function names(statement: ts.Statement): string[] {
  if (ts.isFunctionDeclaration(statement)) return statement.name ? [statement.name.text] : []
  if (!ts.isVariableStatement(statement)) return []
  return statement.declarationList.declarations.map(({ name }) => (ts.isIdentifier(name) ? name.text : ''))
}

function withComment({ statement, text }: Declaration): string {
  const comments = ts.getLeadingCommentRanges(text, statement.getFullStart()) ?? []
  const doc = comments.at(-1)
  return `${text.slice(doc ? doc.pos : statement.getStart(), statement.end)}\n`
}
