import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

/** A folder with some files; removed at the end of the scope. */
export function temporaryTree(files: Readonly<Record<string, string>>) {
  const root = mkdtempSync(join(tmpdir(), 'concord-change-'))
  const add = (file: string, text: string) => {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  for (const [file, text] of Object.entries(files)) add(file, text)
  return { root, add, [Symbol.dispose]: () => rmSync(root, { recursive: true, force: true }) }
}
