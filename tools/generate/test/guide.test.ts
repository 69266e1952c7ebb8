import { execFile } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'

import { type ListeningServer, serveMock } from '@concord/contract'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { guideSteps } from '../../new-service/test/support/guide-steps.ts'

const root = join(import.meta.dirname, '../../..')
const guide = 'docs/your-own-service.md'
const node = promisify(execFile)

let folder: string
let mock: ListeningServer | undefined

beforeAll(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'concord-guide-')))
})
afterAll(async () => {
  await mock?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** Runs a program on the sources of the packages. Returns its output. */
async function run(program: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<string> {
  const { stdout } = await node(process.execPath, ['--conditions=@concord/source', program, ...words], {
    cwd: folder,
    env: { ...process.env, ...env },
  })
  return stdout
}

const generate = (...words: string[]) => run(join(root, 'packages/generate/src/cli.ts'), words)

/** Links packages of the workspace, and zod, as if they were installed from the registry. */
function install(names: readonly string[]): string {
  for (const name of names) {
    const from =
      name === 'zod' ? 'packages/generate/node_modules/zod' : `packages/${name.replace('@concord/', '')}`
    const to = join(folder, 'node_modules', name)
    mkdirSync(dirname(to), { recursive: true })
    symlinkSync(join(root, from), to)
  }
  return ''
}

/** The commands of the page, without what only npm and a second terminal can do. */
const commands: Readonly<Record<string, (...words: readonly string[]) => Promise<string> | string>> = {
  'mkdir book-shop': () => '',
  'cd book-shop': () => '',
  'npm init -y': () => '',
  'npm pkg set type=module': () => {
    writeFileSync(join(folder, 'package.json'), '{ "name": "book-shop", "type": "module" }')
    return ''
  },
  'npx @concord/generate init': () => generate('init'),
  'npm install @concord/runtime zod': () => install(['@concord/runtime', 'zod']),
  'npm install --save-dev @concord/generate': () => install(['@concord/generate']),
  'npm install --save-dev @concord/contract': () => install(['@concord/contract']),
  'npx concord-generate': () => generate(),
  'npx concord-generate --check': () => generate('--check'),
  'npx @concord/contract mock --spec openapi.yaml --port 4010': async () => {
    mock = await serveMock({ spec: join(folder, 'openapi.yaml'), port: 0 })
    return ''
  },
  'BOOK_SHOP_BASE_URL=http://127.0.0.1:4010 BOOK_SHOP_TOKEN=secret node main.ts': () =>
    run('main.ts', [], { BOOK_SHOP_BASE_URL: mock?.url, BOOK_SHOP_TOKEN: 'secret' }),
  'node --test client.test.ts': () => run('--test', ['client.test.ts']),
}

it(`${guide} leads from an empty folder to calls of a mock, by its own commands and files alone`, async () => {
  const steps = guideSteps(readFileSync(join(root, guide), 'utf8'))
  const used = new Set<string>()
  for (const step of steps) {
    if (step.kind === 'file') {
      writeFileSync(join(folder, step.path), step.text)
      continue
    }
    let output = ''
    for (const command of step.commands.trim().split('\n')) {
      const action = commands[command]
      if (action === undefined)
        throw new Error(`${guide} has a command that this test doesn't know: ${command}`)
      used.add(command)
      output += await action()
    }
    for (const line of step.prints) expect(output).toContain(line)
  }
  expect([...used].sort()).toEqual(Object.keys(commands).sort())
  expect(readdirSync(join(folder, 'src/gen'))).toContain('client.gen.ts')
  // The README of the contract tests has the same file, for vitest.
  const readme = guideSteps(readFileSync(join(root, 'packages/contract/README.md'), 'utf8'))
  const shown = readme.find((step) => step.kind === 'file' && step.path === 'client.test.ts')
  if (shown?.kind !== 'file') throw new Error('packages/contract/README.md shows no client.test.ts')
  writeFileSync(
    join(folder, 'client.test.ts'),
    shown.text
      .replace(
        "{ afterAll, describe, it } from 'vitest'",
        "{ after as afterAll, describe, it } from 'node:test'",
      )
      .replace('openapi.yaml', 'openapi.overlaid.json'),
  )
  expect(await run('--test', ['client.test.ts'])).toMatch(/pass 19\n.*fail 0\n/s)
})
