import { readFileSync } from 'node:fs'
import { join } from 'node:path'

import { parseDocument, type Document } from 'yaml'

import { compareService } from '../src/compare.ts'
import type { Change } from '../src/findings.ts'
import type { Snapshot } from '../src/snapshot.ts'

/** A step of an edit: the file (`http` or `sockets`), a JSON pointer, and what to do there. */
export type Step =
  | readonly [file: 'http' | 'sockets', pointer: string, does: 'set', value: unknown]
  | readonly [file: 'http' | 'sockets', pointer: string, does: 'remove']
  | readonly [file: 'http' | 'sockets', pointer: string, does: 'rename', name: string]

const FILES = { http: 'parcels/openapi.yaml', sockets: 'parcels/asyncapi.yaml' } as const
const texts = Object.fromEntries(
  Object.values(FILES).map((file) => [file, readFileSync(join(import.meta.dirname, file), 'utf8')]),
)

/** Returns the changes after an edit of the parcels contracts. */
export function changesAfter(steps: readonly Step[]): Change[] {
  return compareTexts(texts, edited(steps))
}

/** Returns the changes between two versions of a service's contracts. */
export function compareTexts(
  base: Readonly<Record<string, string>>,
  next: Readonly<Record<string, string>>,
  name = 'parcels',
): Change[] {
  return [
    ...compareService({ name, base: textSnapshot('base', base), next: textSnapshot('the tree', next) })
      .changes,
  ]
}

/** Creates a snapshot of contracts in memory. */
function textSnapshot(label: string, files: Readonly<Record<string, string>>): Snapshot {
  return { label, hashes: new Map(Object.entries(files)), read: (file) => files[file] ?? '' }
}

/** Returns the parcels contracts after an edit. */
export function edited(steps: readonly Step[]): Record<string, string> {
  const documents = new Map<string, Document>()
  for (const [file, pointer, does, value] of steps) {
    const document = documents.get(FILES[file]) ?? parseDocument(texts[FILES[file]] ?? '')
    documents.set(FILES[file], document)
    const path = pointer
      .split('/')
      .slice(1)
      .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    if (!document.hasIn(does === 'set' ? path.slice(0, -1) : path)) throw new Error(`there is no ${pointer}`)
    if (does === 'set') document.setIn(path, document.createNode(value))
    else if (does === 'remove') document.deleteIn(path)
    else {
      const node = document.getIn(path, true)
      document.deleteIn(path)
      document.setIn([...path.slice(0, -1), value], node)
    }
  }
  return {
    ...texts,
    ...Object.fromEntries([...documents].map(([file, document]) => [file, String(document)])),
  }
}
