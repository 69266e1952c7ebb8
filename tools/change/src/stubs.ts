import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import type { Operation } from './contract-diff.ts'
import { filesIn } from './tree.ts'

/** Each stub's comment contains a sentence that starts with this text. */
export const STUB = 'Stub of `npm run change`'

/** A file to write, with its whole text. */
export interface Edit {
  readonly file: string
  readonly text: string
}

/**
 * Returns the stubs for a new operation: an emulator handler that responds with 501, and a failing step of the walk
 * for each documented status. Also returns `service.ts` and `walk.ts` with the lines that connect these stubs.
 */
export function stubsFor(root: string, service: string, operation: Operation): readonly Edit[] {
  const isWalked = isNamedIn(root, `packages/${service}/contract`, operation.id)
  return [
    ...handlerStub(root, service, operation),
    ...(isWalked ? [] : walkStub(root, service, operation, operation.id)),
  ]
}

/** Returns a stub with a step for each new status of an operation, and `walk.ts` with these steps added. */
export function statusStub(root: string, service: string, operation: Operation): readonly Edit[] {
  const name = [operation.id, ...operation.statuses.map((status) => status.toLowerCase())].join('-')
  return walkStub(root, service, operation, name)
}

/** Writes edits, each to a temporary file first, so that every file is always complete. */
export function writeEdits(root: string, edits: readonly Edit[]): void {
  const pending = edits.map(({ file, text }) => ({ to: join(root, file), text }))
  try {
    for (const { to, text } of pending) {
      mkdirSync(dirname(to), { recursive: true })
      writeFileSync(`${to}.tmp`, text)
    }
    for (const { to } of pending) renameSync(`${to}.tmp`, to)
  } finally {
    for (const { to } of pending) rmSync(`${to}.tmp`, { force: true })
  }
}

/** Returns whether any hand-written code in a folder uses a name as a whole word. */
export function isNamedIn(root: string, folder: string, name: string): boolean {
  const word = wordOf(name)
  return filesIn(root, folder).some(
    (file) =>
      file.endsWith('.ts') && !file.endsWith('.gen.ts') && word.test(readFileSync(join(root, file), 'utf8')),
  )
}

/** Returns a pattern that matches a name only as a whole word. */
export function wordOf(name: string): RegExp {
  return new RegExp(`(?<![\\w$])${name.replaceAll(/[^\w]/g, '\\$&')}(?![\\w$])`)
}

/** Converts `retryTask` to `retry-task`. */
export function kebabCase(name: string): string {
  return name.replaceAll(/(?<=[a-z0-9])[A-Z]/g, (letter) => `-${letter}`).toLowerCase()
}

function handlerStub(root: string, service: string, { id, method, path }: Operation): readonly Edit[] {
  const folder = `packages/emulator/src/${service}`
  const [file, tableFile] = [`${folder}/handlers/${kebabCase(id)}.ts`, `${folder}/service.ts`]
  if (isNamedIn(root, folder, id) || existsSync(join(root, file)) || !existsSync(join(root, tableFile)))
    return []
  // Changes `handlers: someHandlers(...),` to `handlers: { ...someHandlers(...) },`, so that a handler can be added.
  const before = readFileSync(join(root, tableFile), 'utf8').replace(
    /^( +handlers: )(\w+\(.*\)),$/m,
    '$1{ ...$2 },',
  )
  const types = /type (\w+Context)\b/.exec(before)?.[1]
  // `service.ts` can contain a second `handlers` object, for channels. That object contains no `...`, so the pattern
  // doesn't match it.
  const table = /^( +handlers: \{)(\s*)(\.\.\.[^}]*?),?(\s*\})/m.exec(before)
  const [all = '', start = '', space = '', entries = '', end = ''] = table ?? []
  const isList = space.includes('\n')
  const entry = `...${id}Handlers(context)`
  const withEntry = before.replace(all, () =>
    [start, space, entries, isList ? `,${space}` : ', ', entry, isList ? ',' : '', end].join(''),
  )
  const text = withImport(withEntry, `import { ${id}Handlers } from './handlers/${kebabCase(id)}.ts'`)
  if (types === undefined || !table || text === undefined) return []
  const handler = types.replace(/Context$/, 'Handler')
  return [
    {
      file,
      text: `import { jsonReply } from '../../core/reply.ts'
import type { ${types}, ${handler} } from '../state.ts'

/** ${method} ${path}. ${STUB}: write the behavior, and remove this sentence. */
export function ${id}Handlers(_context: ${types}): Record<string, ${handler}> {
  return {
    ${id}: {
      handle: () =>
        jsonReply(501, {
          error: 'The emulator has no behavior for ${id} yet. Write it in ${file}.',
        }),
    },
  }
}
`,
    },
    { file: tableFile, text },
  ]
}

/** @param name The name from which the file's name is derived, such as `getJob` or `getJob-404`. */
function walkStub(root: string, service: string, { id, statuses }: Operation, name: string): readonly Edit[] {
  const folder = `packages/${service}/contract`
  const [file, walk] = [`${folder}/${kebabCase(name)}.ts`, `${folder}/walk.ts`]
  if (existsSync(join(root, file)) || !existsSync(join(root, walk))) return []
  const steps = `${name.replaceAll(/-(\w)/g, (_all, letter: string) => letter.toUpperCase())}Steps`
  const before = readFileSync(join(root, walk), 'utf8')
  const withSteps = before.replace(
    // Matches `steps,`, `steps: [...],` or `steps: stepsOf(...),`, but not `steps: socketSteps(...),`.
    /^( +)steps(?:: (?!.*\bsocketSteps\()(?:\[(.*)\]|(.+)))?,$/m,
    (_all, indent: string, list: string | undefined, whole = 'steps') =>
      `${indent}steps: [${list ?? `...${String(whole)}`}, ...${steps}],`,
  )
  const text = withImport(withSteps, `import { ${steps} } from './${kebabCase(name)}.ts'`)
  if (withSteps === before || text === undefined) return []
  return [
    {
      file,
      text: `import type { WalkStep } from '@concord/contract'
import { step } from '@concord/contract-kit'

const notWritten = (status: string) => (): never => {
  throw new Error(
    \`The walk has no step for ${id} with status \${status} yet. Write this step in ${file}.\`,
  )
}

/** Steps of \`${id}\`. ${STUB}: write them, and remove this sentence. */
export const ${steps}: WalkStep[] = [
${statuses.map((status) => `  step('${id}', '${status}', 'what this step tests', notWritten('${status}')),\n`).join('')}]
`,
    },
    { file: walk, text },
  ]
}

/** Inserts an import after the last one. Returns undefined if the file has no imports. */
export function withImport(text: string, line: string): string | undefined {
  const imports = [...text.matchAll(/^import [^']*'[^']*'\n/gm)]
  const last = imports.at(-1)
  if (!last) return undefined
  const end = last.index + last[0].length
  return `${text.slice(0, end)}${line}\n${text.slice(end)}`
}
