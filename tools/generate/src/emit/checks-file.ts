import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

import ts from 'typescript'

import type { ServiceModel } from '../normalize/model.ts'
import { header } from './text.ts'

const predicates = fileURLToPath(new URL('../checks/predicates.ts', import.meta.url))

/** checks.gen.ts: the checks that the schemas use, and what these use, copied from this package; undefined without any. */
export function checksFile(model: ServiceModel, used: readonly string[]): string | undefined {
  if (used.length === 0) return undefined
  const text = readFileSync(predicates, 'utf8')
  const file = ts.createSourceFile('predicates.ts', text, ts.ScriptTarget.ESNext, true)
  const declarations = new Map(
    file.statements.flatMap((statement) => names(statement).map((name) => [name, statement] as const)),
  )
  const wanted = new Set<ts.Statement>()
  const want = (name: string): void => {
    const statement = declarations.get(name)
    if (!statement || wanted.has(statement)) return
    wanted.add(statement)
    const visit = (node: ts.Node): void => {
      if (ts.isIdentifier(node)) want(node.text)
      node.forEachChild(visit)
    }
    visit(statement)
  }
  for (const name of used) {
    if (!declarations.has(name)) throw new Error(`there is no check ${name} in predicates.ts`)
    want(name)
  }
  const blocks = file.statements
    .filter((statement) => wanted.has(statement))
    .map((statement) => withComment(statement, text))
  return [header(model), ...blocks].join('\n')
}

function names(statement: ts.Statement): string[] {
  if (ts.isFunctionDeclaration(statement)) return statement.name ? [statement.name.text] : []
  if (!ts.isVariableStatement(statement)) return []
  return statement.declarationList.declarations.map(({ name }) => (ts.isIdentifier(name) ? name.text : ''))
}

function withComment(statement: ts.Statement, text: string): string {
  const comments = ts.getLeadingCommentRanges(text, statement.getFullStart()) ?? []
  const doc = comments.at(-1)
  return `${text.slice(doc ? doc.pos : statement.getStart(), statement.end)}\n`
}
