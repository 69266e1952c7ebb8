import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, expect, it } from 'vitest'

import { isSuccessfulExit, loadChoices, readArguments, type CliOptions } from '../../src/cli-options.ts'

const folder = mkdtempSync(join(tmpdir(), 'concord-emulator-'))
afterAll(() => rmSync(folder, { recursive: true }))

function read(...args: string[]): { out: string; err: string; options?: CliOptions; error?: unknown } {
  const written = { out: '', err: '' }
  try {
    const options = readArguments(args, {
      out: (text) => (written.out += text),
      err: (text) => (written.err += text),
    })
    return { ...written, options }
  } catch (error) {
    return { ...written, error }
  }
}

it('the command line accepts every option', () => {
  const args = ['--json', '--host', '::1', '--port', 'extraction=8080', '--choices', 'a.mjs', '--control']
  expect(
    read(...args, '--plan', 'scale', '--api-key', 'k', '--seed', 's', '--allow-http-webhooks').options,
  ).toEqual({
    json: true,
    host: '::1',
    ports: { extraction: 8080 },
    choices: 'a.mjs',
    control: true,
    plan: 'scale',
    apiKey: 'k',
    seed: 's',
    allowHttpWebhooks: true,
  })
})

it('the command line accepts several services with their ports and options', () => {
  const args = ['--service', 'speech', '--service', 'storage-auth', '--port', 'storage-auth=81', '--cors']
  const settings = [
    'speech.connectionAllowance=3',
    'speech.apiKeys=a,b',
    'media.tier=3',
    'media.credits=7',
    'media.apiSecrets=one,two',
    'storage-auth.tokenRequestsPerMinute=Infinity',
    'storage-auth.accessTokenSeconds=60',
  ].flatMap((setting) => ['--set', setting])
  expect(read(...args, ...settings).options).toMatchObject({
    services: ['speech', 'storageAuth'],
    ports: { storageAuth: 81 },
    cors: true,
    set: {
      speech: { connectionAllowance: 3, apiKeys: ['a', 'b'] },
      media: { tier: 3, credits: 7, apiSecrets: ['one', 'two'] },
      storageAuth: { tokenRequestsPerMinute: Infinity, accessTokenSeconds: 60 },
    },
  })
})

it.each([
  [['--service', 'music'], 'Names: extraction'],
  [['--set', 'speech.choices=1'], 'Valid options: '],
  [['--set', 'speech.connectionAllowance'], 'Write the argument as NAME.OPTION=VALUE.'],
  [['--set', 'music.loud=1'], 'speech.connectionAllowance'],
  [['--what'], "unknown option '--what'"],
  [['serve'], 'too many arguments'],
  [
    ['--port', '8080'],
    'Write the argument as NAME=NUMBER, for instance extraction=8080. Valid names: extraction',
  ],
  [['--port', 'storage=1'], 'Valid names: extraction'],
  [['--port', 'extraction=70000'], 'A port is a number from 0 (any free port) to 65535.'],
  [['--plan', 'enterprise'], 'Allowed choices are free, pro, scale.'],
  [['--seed'], 'argument missing'],
])('the command line rejects %j and says what to do', (args, message) => {
  const { err, error } = read(...args)
  expect(err).toContain(message)
  expect(err).toContain('--help lists the options')
  expect(isSuccessfulExit(error)).toBe(false)
})

it('--help lists each option with its service, and what --set accepts', () => {
  const { out, error } = read('--help')
  expect(isSuccessfulExit(error)).toBe(true)
  const words = out.replaceAll(/\s+/g, ' ')
  expect(words).toContain('--plan <name> extraction: the plan of all API keys')
  expect(words).toContain('--api-key <key> extraction: the valid API key')
  expect(words).toContain('--allow-http-webhooks extraction: also accept')
  expect(words).toContain('media.tier the tier, 1 to 5')
  expect(words).toContain('media.apiSecrets the valid secrets')
})

it('--version prints the version of the package', () => {
  const { out, error } = read('--version')
  expect(out).toMatch(/^\d+\.\d+\.\d+\n$/)
  expect(isSuccessfulExit(error)).toBe(true)
})

let files = 0
const write = (source: string) => {
  const file = join(folder, `choices-${files++}.mjs`)
  writeFileSync(file, source)
  return file
}

it('a choices file is resolved from the folder where npm was called, unless the working folder has it', async () => {
  const file = write('export default { extraction: {} }')
  const before = process.env['INIT_CWD']
  try {
    process.env['INIT_CWD'] = folder
    expect(await loadChoices(basename(file))).toEqual({ extraction: {} })
    process.env['INIT_CWD'] = join(folder, 'elsewhere')
    await expect(loadChoices(basename(file))).rejects.toThrow("the module can't be loaded")
  } finally {
    if (before === undefined) delete process.env['INIT_CWD']
    else process.env['INIT_CWD'] = before
  }
})

it.each([
  ['throw new Error("my own mistake")', "the module can't be loaded: my own mistake"],
  ['export default 5', 'needs a default export'],
  ['export const extraction = {}', 'needs a default export'],
  ['export default { storage: {} }', 'unknown service `storage`'],
  ['export default { extraction: 5 }', 'the choices of `extraction` must be an object'],
])('loadChoices rejects the module %j', async (source, message) => {
  await expect(loadChoices(write(source))).rejects.toThrow(message)
})
