import { existsSync, globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

import { root } from '../workspace.ts'

/** The limit and the target for the size of a bundle for web pages. */
interface SizeLimit {
  readonly what: string
  readonly code: string
  /** A larger bundle fails the check. This limit is close to the current size, so that growth is noticed. */
  readonly limitBytes: number
  /** The size that the design aims for. Some bundles are still larger. */
  readonly targetBytes: number
}

const operation = { targetBytes: 14 * 1024 }
const service = { targetBytes: 24 * 1024 }

/** The limits that were set by measuring, in KiB. */
const measured: readonly SizeLimit[] = (
  [
    ['extraction', 'Extraction', 23.75, 'getJob', 13.75],
    ['media', 'Media', 27.75, 'getTask', 13],
    ['storage-auth', 'StorageAuth', 22.5, 'listApiKeys', 12.75],
    ['speech', 'Speech', 18.75, 'listModels', 12.5],
  ] as const
).flatMap(([name, client, clientKiB, call, callKiB]) => [
  {
    what: `${name}: one operation with its checks`,
    code: `import { createClient } from '@concord/runtime'; import { ${call} } from '@concord/${name}'; console.log(createClient, ${call})`,
    limitBytes: callKiB * 1024,
    ...operation,
  },
  {
    what: `${name}: the whole client`,
    code: `import { ${client} } from '@concord/${name}'; console.log(${client})`,
    limitBytes: clientKiB * 1024,
    ...service,
  },
])

/** A service that isn't in `measured` has one limit: its whole client must not exceed the target size. */
const unmeasured: readonly SizeLimit[] = globSync('specs/*/openapi.yaml', { cwd: root })
  .map((file) => basename(dirname(file)))
  .filter((name) => !measured.some(({ what }) => what.startsWith(`${name}: `)))
  .flatMap((name): SizeLimit[] => {
    const index = join(root, 'packages', name, 'src/index.ts')
    if (!existsSync(index)) return []
    const className = /^export \{ (\w+) \} from '.\/client\.ts'/m.exec(readFileSync(index, 'utf8'))?.[1]
    if (className === undefined) throw new Error(`${index} doesn't export the class of ./client.ts`)
    const code = `import { ${className} } from '@concord/${name}'; console.log(${className})`
    return [{ what: `${name}: the whole client`, code, limitBytes: service.targetBytes, ...service }]
  })

export const limits: readonly SizeLimit[] = [...measured, ...unmeasured]
