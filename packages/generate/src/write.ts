import { mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { ConfigError } from './config/check-config.ts'
import type { GeneratedFiles } from './generate.ts'

/** How a generated file differs from the one on disk. */
export interface Change {
  readonly file: string
  readonly kind: 'new' | 'changed' | 'stale'
  /** The new text; undefined for a stale file. */
  readonly text: string | undefined
  /** Lines only in the new text. */
  readonly added: number
  /** Lines only in the old text. */
  readonly removed: number
}

/**
 * Compares generated files with those under `root`. Files in `folders` that are no longer generated are stale.
 */
export function compare(files: GeneratedFiles, root: string, folders: Iterable<string>): Change[] {
  const changes: Change[] = []
  for (const [file, text] of files) {
    const before = readIfThere(join(root, file))
    if (before === text) continue
    changes.push({
      file,
      kind: before === undefined ? 'new' : 'changed',
      text,
      ...countLines(before ?? '', text),
    })
  }
  for (const folder of new Set(folders)) {
    for (const file of generatedIn(root, folder)) {
      if (files.has(file)) continue
      changes.push({
        file,
        kind: 'stale',
        text: undefined,
        ...countLines(readFileSync(join(root, file), 'utf8'), ''),
      })
    }
  }
  return changes.sort((first, second) => (first.file < second.file ? -1 : 1))
}

/** Carries out the changes. Each file is written beside its place first and then moved there, so that no file is ever incomplete. */
export function write(changes: readonly Change[], root: string): void {
  const pending: { from: string; to: string }[] = []
  try {
    for (const { file, text } of changes) {
      if (text === undefined) continue
      const to = join(root, file)
      const from = `${to}.${process.pid}.tmp`
      mkdirSync(dirname(to), { recursive: true })
      pending.push({ from, to })
      writeFileSync(from, text)
    }
    for (const { from, to } of pending) renameSync(from, to)
  } finally {
    for (const { from } of pending) rmSync(from, { force: true })
  }
  for (const { file, text } of changes) if (text === undefined) rmSync(join(root, file))
}

/** The generated files in a folder, with the folder before their names. */
export function generatedIn(root: string, folder: string): string[] {
  try {
    return readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.gen.ts'))
      .map((name) => `${folder}/${name}`)
  } catch {
    return []
  }
}

/** The content of a file; undefined if it doesn't exist. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code === 'ENOTDIR')
      throw new ConfigError(`${dirname(path)} isn't a folder; set \`output\` in the config to a folder.`)
    throw error
  }
}

function countLines(before: string, after: string): { added: number; removed: number } {
  const counts = new Map<string, number>()
  for (const line of after.split('\n')) counts.set(line, (counts.get(line) ?? 0) + 1)
  for (const line of before.split('\n')) counts.set(line, (counts.get(line) ?? 0) - 1)
  const differences = [...counts].filter(([line]) => line !== '').map(([, count]) => count)
  const sum = (values: number[]) => values.reduce((total, value) => total + value, 0)
  return {
    added: sum(differences.filter((count) => count > 0)),
    removed: -sum(differences.filter((count) => count < 0)),
  }
}
