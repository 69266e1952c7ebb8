import { sameJson } from '@concord/spec-model'

import { Contract, keysOf } from './document.ts'
import { type Change, Findings } from './findings.ts'
import type { ServicePair } from './snapshot.ts'
import { membersOf } from './text.ts'

const FILE = 'formats.json'

/** Returns the changes to those formats in `specs/formats.json` that a service's contracts use. */
export function compareFormats({ name, base, next }: ServicePair): Change[] {
  if (base.hashes.get(FILE) === next.hashes.get(FILE) || !base.hashes.has(FILE) || !next.hashes.has(FILE))
    return []
  const findings = new Findings(name)
  const roots = { base: new Contract(base).root(FILE), next: new Contract(next).root(FILE) }
  const text = [...next.hashes.keys()]
    .filter((file) => file.startsWith(`${name}/`))
    .map((file) => next.read(file))
    .join('\n')
  for (const format of keysOf(roots.base)) {
    const pair = membersOf(roots, format)
    const scope = { role: 'request', user: '', home: `the format \`${format}\``, path: '' } as const
    // Removing a format that is still used is a change, too: values with that format are no longer checked.
    if (new RegExp(`format: ['"]?${format}\\b`).test(text) && !sameJson(pair.base.value, pair.next.value))
      findings.add('format-changed', pair, scope, { name: format })
  }
  return findings.list()
}
