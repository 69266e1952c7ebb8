import { existsSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { ConfigError } from './config/check-config.ts'
import type { GeneratedFiles } from './generate.ts'

/** A difference between a generated file and the file on disk. */
export interface Change {
  readonly file: string
  readonly kind: 'new' | 'changed' | 'stale'
  /** The new content. Undefined for a stale file: one that an earlier run generated, but this run doesn't. */
  readonly text: string | undefined
  /** The number of lines that are only in the new content. */
  readonly added: number
  /** The number of lines that are only in the old content. */
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

/**
 * First writes all files to temporary files beside their targets, then moves them into place. If a temporary file
 * can't be written, all files keep their old content.
 *
 * @throws ConfigError naming the file that can't be written
 */
export function write(changes: readonly Change[], root: string): void {
  const pending: { from: string; to: string }[] = []
  try {
    for (const { file, text } of changes) {
      if (text === undefined) continue
      const to = join(root, file)
      const from = `${to}.${process.pid}.tmp`
      writing(to, () => {
        makeFolder(dirname(to))
        pending.push({ from, to })
        writeFileSync(from, text)
      })
    }
    for (const { from, to } of pending) writing(to, () => renameSync(from, to))
  } finally {
    for (const { from } of pending) rmSync(from, { force: true })
  }
  for (const { file, text } of changes)
    if (text === undefined) writing(join(root, file), () => rmSync(join(root, file)))
  for (const folder of new Set(changes.map(({ file }) => dirname(join(root, file))))) removeLeftovers(folder)
}

function writing(file: string, step: () => void): void {
  try {
    step()
  } catch (error) {
    if (error instanceof ConfigError) throw error
    throw new ConfigError(`${file} can't be written: ${(error as Error).message}`)
  }
}

/** Creates a folder and its parents. Doesn't use `mkdir` with `recursive`, because that never returns in /proc. */
export function makeFolder(folder: string): void {
  if (existsSync(folder)) return
  if (dirname(folder) !== folder) makeFolder(dirname(folder))
  try {
    mkdirSync(folder)
  } catch (error) {
    // Another process may have created the folder in the meantime.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  }
}

/** Removes temporary files of processes that have ended. */
function removeLeftovers(folder: string): void {
  for (const name of existsSync(folder) ? readdirSync(folder) : []) {
    const [, pid] = /\.gen\.ts\.(\d+)\.tmp$/.exec(name) ?? []
    if (pid !== undefined && !isRunning(Number(pid))) rmSync(join(folder, name), { force: true })
  }
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Returns the paths, relative to `root`, of the generated files in a folder. */
export function generatedIn(root: string, folder: string): string[] {
  try {
    return readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.gen.ts'))
      .map((name) => `${folder}/${name}`)
  } catch {
    return []
  }
}

/** Returns the content of a file, or undefined if the file doesn't exist. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    if (code === 'ENOTDIR')
      throw new ConfigError(`${dirname(path)} isn't a folder; set \`output\` in the config to a folder.`)
    if (code === 'EISDIR')
      throw new ConfigError(
        `${path} is a folder, but a generated file has to be written at this path. Remove the folder.`,
      )
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
