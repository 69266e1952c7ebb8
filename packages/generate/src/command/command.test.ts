import { spawnSync } from 'node:child_process'
import { readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'

import { describe, expect, it, onTestFinished } from 'vitest'

import { command, filesBelow, lamps, lampsConfig, projectOf, writeFiles } from '../../test/support/command.ts'
import { nodeProblem, run } from './command.ts'

const project = (more: object = {}) =>
  projectOf({ 'openapi.yaml': lamps, 'concord.config.json': lampsConfig(more), 'node_modules/x': '' })

describe('concord.config.ts', () => {
  it('is required: the message names the command that writes one', async () => {
    const { code, errors } = await command(projectOf({}), [])
    expect(code).toBe(2)
    expect(errors).toContain('npx @concord/generate init')
  })

  it('can be a typed module, and is read again when it has changed', async () => {
    const folder = projectOf({ 'openapi.yaml': lamps })
    const config = (name: string) => `import type { Config } from '@concord/generate'
const config: Config = { services: [{ name: '${name}', openapi: 'openapi.yaml', output: 'src/gen' }] }
export default config`
    writeFiles(folder, { 'concord.config.mts': config('lamps') })
    expect((await command(folder, [])).code).toBe(0)
    writeFiles(folder, { 'concord.config.mts': config('lights') })
    expect((await command(folder, [])).code).toBe(0)
    expect(readFileSync(join(folder, 'src/gen/api.gen.ts'), 'utf8')).toContain('interface LightsApi')
  })

  it('can have another path, given in package.json', async () => {
    const folder = projectOf({
      'package.json': { concord: 'tools/concord.config.json' },
      'tools/concord.config.json': { root: '..', ...lampsConfig() },
      'openapi.yaml': lamps,
    })
    expect((await command(folder, [])).code).toBe(0)
    expect(readFileSync(join(folder, 'src/gen/api.gen.ts'), 'utf8')).toContain(
      '// Generated from openapi.yaml by',
    )
  })

  it.each([
    ['a misspelled member', { services: [], serivces: [] }, 'the config has an unknown member `serivces`; did you mean `services`?'],
    ['no service', { services: [] }, '`services` must be a list with at least one service, but is [].'],
    ['a misspelled member of a service', lampsConfig({ overlay: [] }), '`services[0]` has an unknown member `overlay`; did you mean `overlays`?'],
    ['a name that no class can have', lampsConfig({ name: 'My Lamps' }), '`services[0].name` must start with a letter, and consist of words of lowercase letters and digits, separated by hyphens, but is "My Lamps".'],
    ['no contract', lampsConfig({ openapi: undefined }), '`services[0]` has no contract. Set `openapi` or `asyncapi` to'],
    ['no output', lampsConfig({ output: undefined }), "`services[0].output` is missing; it must be a folder, such as 'src/gen'"],
    ['an output of one package only', lampsConfig({ output: { client: 'a', validators: 'b' } }), '`services[0].output.validatorsPackage` is missing; it must be the name of a package.'],
    ['a threshold of more than everything', lampsConfig({ minFidelity: 101 }), '`services[0].minFidelity` must be a percentage from 0 to 100, but is 101.'],
    ['an address with a password', lampsConfig({ openapi: 'https://me:secret@lamps.example/openapi.yaml' }), "`services[0].openapi`: a URL can't contain a user name or password."],
    ['an output that is a file', lampsConfig({ output: 'openapi.yaml' }), "openapi.yaml isn't a folder; set `output` in the config to a folder."],
    ['a copy that is not JSON', lampsConfig({ overlaid: { openapi: 'copy.yaml' } }), '`services[0].overlaid.openapi` must be the path of a .json file, but is "copy.yaml".'],
    ['a copy of no document', lampsConfig({ overlaid: { asyncapi: 'copy.json' } }), '`services[0].overlaid.asyncapi`: the service has no `asyncapi` document.'],
    ['a copy in the place of the contract', lampsConfig({ openapi: './a.json', overlaid: { openapi: 'a.json' } }), '`services[0].overlaid.openapi` would overwrite the contract itself; use another path.'],
    ['a misspelled copy', lampsConfig({ overlaid: { opneapi: 'a.json' } }), '`services[0].overlaid` has an unknown member `opneapi`; did you mean `openapi`?'],
    ['a folder of two services', { services: ['a', 'b'].map((name) => ({ name, openapi: 'openapi.yaml', output: 'src/gen' })) }, '`services[1].output`: `src/gen` is already the folder of another service'],
  ])('is rejected with %s: the message names the member and says what to do', async (_, config, message) => {
    const { code, errors } = await command(projectOf({ 'openapi.yaml': lamps, 'concord.config.json': config }), [])
    expect(code).toBe(2)
    expect(errors).toContain(message)
    expect(errors).not.toContain('secret')
  }) // prettier-ignore
})

describe('an unusable config', () => {
  it.each([
    ['of two', { 'concord.config.ts': '', 'concord.config.cjs': '' }, 'There are two configs, concord.config.ts and concord.config.cjs. Remove one'],
    ['that is a folder', { 'concord.config.json/x': '' }, "`concord.config.json` isn't a file"],
    ['in YAML', { 'package.json': { concord: 'c.yaml' }, 'c.yaml': '' }, "`c.yaml` can't be a config; write the config in TypeScript, JavaScript or JSON"],
    ['whose path is a number', { 'package.json': { concord: 1 } }, '`concord` in package.json must be the path of a config'],
    ['beside a broken package.json', { 'package.json': '{' }, "package.json can't be read"],
    ['that throws', { 'concord.config.mjs': "throw new Error('API_URL is missing')" }, "concord.config.mjs can't be loaded: API_URL is missing"],
    ['that is a function', { 'concord.config.cjs': 'module.exports = () => ({})' }, 'the config must be an object, but is a function.'],
  ])('%s is rejected: the message says what to do', async (_, files, message) => {
    const { code, errors } = await command(projectOf(files), [])
    expect(code).toBe(2)
    expect(errors).toContain(message)
  }) // prettier-ignore
})

describe('the command line', () => {
  it.each([
    [['--chek'], 'Unknown option `--chek`; did you mean `--check`?'],
    [
      ['--report', 'a.html'],
      '`--report a.html`: the name of a report must end in .md (Markdown) or .json (JSON).',
    ],
    [['--service'], '`--service` needs a value.'],
    [['--check=yes'], '`--check` takes no value.'],
    [['int'], 'Unknown command `int`; did you mean `init`?'],
    [['build'], 'Unknown command `build`; the only command is `init`. To generate, pass no command.'],
    [['init', 'here'], 'Unexpected argument `here`: `init` takes no argument.'],
    [['--check', '--watch'], "`--check` and `--watch` can't be used together."],
  ])('%j is rejected: %s', async (words, message) => {
    const { code, errors } = await command(project(), words)
    expect(code).toBe(2)
    expect(errors).toContain(`concord-generate: ${message}`)
    expect(errors).toContain('Usage: concord-generate')
    expect(errors.split('\n').length).toBeLessThan(6)
  })

  it('names the folder in which a config is missing', async () => {
    const folder = project()
    const { code, errors } = await command(folder, ['--config', 'nope.ts'])
    expect(code).toBe(2)
    expect(errors).toContain(`Config nope.ts not found in ${folder}. Correct the path`)
  })

  it('rejects a service that the config lacks', async () => {
    const { code, errors } = await command(project(), ['--service', 'lamp'])
    expect(code).toBe(2)
    expect(errors).toContain('unknown service "lamp"; did you mean `lamps`?')
  })

  it('prints its usage and its version', async () => {
    expect((await command(project(), ['--help'])).lines[0]).toBe('Usage: concord-generate [options]')
    expect((await command(project(), ['--version'])).lines).toEqual(['1.2.3'])
  })
})

describe('a run with unchanged inputs, options and files', () => {
  it('reads no contract again, prints the same, and notices every change', async () => {
    const folder = project({ overlays: [] })
    const upToDate = async (...words: string[]) =>
      /are up to date/.test((await command(folder, words)).lines.at(-1) ?? '')
    expect(await upToDate()).toBe(false)
    expect(await upToDate()).toBe(true)
    writeFiles(folder, { 'openapi.yaml': lamps.replace('watts', 'lumens').replace('[watts]', '[lumens]') })
    expect(await upToDate('--check')).toBe(false)
    expect(await upToDate()).toBe(false)
    expect(await upToDate()).toBe(true)
    writeFileSync(join(folder, 'src/gen/api.gen.ts'), '// edited by hand')
    expect(await upToDate()).toBe(false)
    writeFileSync(join(folder, 'src/gen/old.gen.ts'), '// stale')
    expect(await upToDate()).toBe(false)
    rmSync(join(folder, 'src/gen/types.gen.ts'))
    expect(await upToDate()).toBe(false)
    writeFiles(folder, { 'concord.config.json': lampsConfig({ importExtension: '.ts' }) })
    expect(await upToDate()).toBe(false)
    const before = filesBelow(folder)
    expect(await upToDate('--check')).toBe(true)
    expect(filesBelow(folder)).toEqual(before)
  })

  it('loads neither the reader of contracts nor the writer of schemas; a config without this package is explained', async () => {
    const folder = project()
    await command(folder, [])
    const other = projectOf({ 'concord.config.mjs': "import '@concord/generate'\nexport default {}\n" })
    // If this package were loaded, the test would fail.
    const script = `
      import { registerHooks } from 'node:module'
      registerHooks({ resolve(name, context, next) {
        if (/^(?:@hey-api|@asyncapi|typescript|yaml|ajv)/.test(name)) throw new Error('loaded ' + name)
        return next(name, context)
      } })
      const { run } = await import(${JSON.stringify(join(import.meta.dirname, 'command.ts'))})
      for (const folder of ${JSON.stringify([folder, other])})
        await run([], { folder, print: console.log, printError: console.log })`
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
    })
    expect(stdout).toContain('files of lamps are up to date')
    expect(stdout).toContain(
      '@concord/generate is not installed here. Run: npm install --save-dev @concord/generate',
    )
  })
})

describe('URLs in the config', () => {
  it('are fetched; their query, which may hold a credential, never gets into a file or a message', async () => {
    const asked: string[] = []
    const server = createServer((request, response) => {
      asked.push(request.url ?? '')
      if (request.url?.startsWith('/openapi.yaml?token=t0ken') === true) response.end(lamps)
      else response.writeHead(404).end('no')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const folder = project({ openapi: `${base}/openapi.yaml?token=t0ken` })
    const { code, lines } = await command(folder, [])
    expect(code).toBe(0)
    expect(asked).toHaveLength(1)
    expect(lines.join('\n')).not.toContain('t0ken')
    for (const file of ['api', 'spec', 'operations'])
      expect(readFileSync(join(folder, `src/gen/${file}.gen.ts`), 'utf8')).not.toContain('t0ken')
    expect((await command(folder, [])).lines.join('\n')).toContain('are up to date')
    writeFiles(folder, { 'concord.config.json': lampsConfig({ openapi: `${base}/gone.yaml?token=t0ken` }) })
    const failed = await command(folder, [])
    expect(failed.code).toBe(2)
    expect(failed.errors).toContain(`${base}/gone.yaml #\n    the server responded with status 404`)
  })

  it('fail with the size limit if the response never ends', async () => {
    const endless = () =>
      new Response(
        new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(1024 * 1024)) }),
      )
    const folder = project({ openapi: 'https://lamps.example/openapi.yaml' })
    const { code, errors } = await command(folder, [], { fetch: () => Promise.resolve(endless()) })
    expect(code).toBe(2)
    expect(errors).toContain('it has more than 64 MiB, which is the limit')
  })
})

it.each(['20.19.5', '22.18.0', '21.0.0'])('names the Node version that it needs on Node %s', (version) => {
  expect(nodeProblem(version, '>=22.19')).toMatch(/needs Node 22\.19 or later.*; this is Node \d+/)
})

it.each(['22.19.0', '24.0.0', '26.10.0'])('runs on Node %s', (version) => {
  expect(nodeProblem(version, '>=22.19')).toBeUndefined()
})

describe('concord-generate init', () => {
  it('writes a config for the contracts that it finds, which works, and never overwrites one', async () => {
    const folder = projectOf({
      'package.json': { name: '@acme/web-lamps', type: 'module' },
      'tsconfig.json': '{ "compilerOptions": { "strict": true } }',
      'api/openapi.yaml': lamps,
      'api/notes.yaml': 'a: 1',
      'node_modules/@concord/openapi.yaml': lamps,
    })
    symlinkSync(join(import.meta.dirname, '../..'), join(folder, 'node_modules/@concord/generate'))
    const { code, lines } = await command(folder, ['init'])
    expect(code).toBe(0)
    expect(lines[0]).toBe('concord.config.ts was written, for api/openapi.yaml.')
    expect(lines.join('\n')).toContain('npm install @concord/runtime zod')
    const text = readFileSync(join(folder, 'concord.config.ts'), 'utf8')
    expect(text).toContain("name: 'lamps'")
    expect(text).toContain("importExtension: '.js'")
    const again = await command(folder, ['init'])
    expect(again.code).toBe(2)
    expect(again.errors).toContain('concord.config.ts already exists, and was left unchanged. Edit it')
    expect(readFileSync(join(folder, 'concord.config.ts'), 'utf8')).toBe(text)
    const generated = await command(folder, [])
    expect(generated.errors).toBe('')
    expect(readFileSync(join(folder, 'src/gen/api.gen.ts'), 'utf8')).toContain("from './types.gen.js'")
  })

  it('names the commands of the package manager, finds documents in deep folders, and respects a config that package.json names', async () => {
    for (const [lock, commands] of [
      ['pnpm-lock.yaml', ['pnpm add @concord/runtime zod', 'pnpm add -D @concord/generate', 'pnpm exec concord-generate']],
      ['yarn.lock', ['yarn add @concord/runtime zod', 'yarn concord-generate']],
      ['bun.lock', ['bun add @concord/runtime zod', 'bunx concord-generate']],
    ] as const) {
      const folder = projectOf({ [lock]: '', 'package.json': {}, 'web/docs/api/v1/openapi.json': { info: { title: 'A' }, openapi: '3.1.0' } })
      const { lines } = await command(folder, ['init'])
      expect(lines[0]).toContain('for web/docs/api/v1/openapi.json')
      for (const each of commands) expect(lines).toContain(`  ${each}`)
    }
    const named = { 'package.json': { concord: 'tools/c.json' } }
    const lost = await command(projectOf(named), ['init'])
    expect(lost).toMatchObject({ code: 2, errors: expect.stringContaining("names the config tools/c.json, which doesn't exist") })
    const known = await command(projectOf({ ...named, 'tools/c.json': {} }), ['init'])
    expect(known.errors).toContain('tools/c.json already exists')
    expect((await command(projectOf({ 'package.json': '{' }), ['init'])).errors).toContain("package.json can't be read")
  }) // prettier-ignore

  it.each([
    ['JSON with sorted names', 'a.json', JSON.stringify({ components: { a: 'x'.repeat(5000) }, info: { title: 'Lamps' }, openapi: '3.0.1' })],
    ['YAML with the components first', 'a.yaml', `components:\n  info: { title: ${'x'.repeat(5000)} }\ninfo:\n  title: Lamps\nopenapi: 3.1.0\n`],
  ])('finds a contract in %s', async (_, file, text) => {
    const folder = projectOf({ [file]: text, 'package.json': { type: 'module' } })
    await command(folder, ['init'])
    expect(readFileSync(join(folder, 'concord.config.ts'), 'utf8')).toContain(`name: 'lamps',\n      // A path, or an http(s) address.\n      openapi: '${file}'`)
  }) // prettier-ignore

  it.each([
    ['Lumière Überblick', 'lumiere-uberblick'],
    ['Größen', 'shop'],
    ['Погода API', 'shop'],
  ])('names the service with the title %s %s', async (title, name) => {
    const manifest = { name: '@our/shop', type: 'module' }
    const folder = projectOf({
      'a.yaml': `openapi: 3.1.0\ninfo:\n  title: ${title}\n`,
      'package.json': manifest,
    })
    await command(folder, ['init'])
    expect(readFileSync(join(folder, 'concord.config.ts'), 'utf8')).toContain(`name: '${name}'`)
  })

  it('names the service after the title, and says only what is left to do', async () => {
    const folder = projectOf({
      'package.json': { type: 'commonjs', devDependencies: { '@concord/generate': '1.0.0' }, dependencies: { zod: '4.0.0' } },
      'a.json': '{"openapi":"3.0.3","info":{"description":"All.","title":"Lamp Shop Public API v2"},"paths":{}}',
      'b.yaml': 'openapi: 3.1.0\ninfo:\n  title: Rooms\n',
    })
    const { lines } = await command(folder, ['init'])
    expect(lines).toEqual([
      'concord.config.mts was written, for a.json.',
      'Also found, and left out: b.yaml. To generate for one of them too, add a service with an `output` of its own.',
      '',
      'Next:',
      '  npm pkg set type=module        so that Node reads the generated .ts files as ES modules',
      '  npm install @concord/runtime',
      '  npx concord-generate',
    ])
    expect(readFileSync(join(folder, 'concord.config.mts'), 'utf8')).toContain("name: 'lamp-shop'")
  }) // prettier-ignore

  it('writes a config for a project that has only an AsyncAPI document', async () => {
    const folder = projectOf({ 'events.yaml': "asyncapi: 3.0.0\ninfo: {title: Events, version: '1'}\n" })
    const { lines } = await command(folder, ['init'])
    expect(lines.join('\n')).toContain('concord.config.mts was written, for events.yaml.')
    const text = readFileSync(join(folder, 'concord.config.mts'), 'utf8')
    expect(text).toMatch(/^ +asyncapi: 'events\.yaml',$/m)
    expect(text).toMatch(/^ +\/\/ openapi: /m)
  })

  it('leaves placeholders for the paths in a project without contracts', async () => {
    const folder = projectOf({})
    const { lines } = await command(folder, ['init'])
    expect(lines.join('\n')).toContain('no OpenAPI or AsyncAPI document was found here')
    expect(lines.join('\n')).toContain('write the path of your contract into concord.config.mts')
    expect(lines.join('\n')).toContain('npm init -y')
    expect(readFileSync(join(folder, 'concord.config.mts'), 'utf8')).toContain("openapi: 'openapi.yaml'")
  })
})

describe('copies of contracts with their overlays', () => {
  const overlay = (target: string, more = '') =>
    `overlay: 1.0.0\ninfo: { title: A, version: '1' }\n${more}actions: [{ target: ${target}, update: { x-not-shown: [All.] } }]`

  it('are written for other tools, and checked', async () => {
    const folder = projectOf({
      'openapi.yaml': lamps,
      'overlay.yaml': overlay('$.info'),
      'concord.config.json': lampsConfig({
        overlays: ['overlay.yaml'],
        overlaid: { openapi: './copy.json' },
      }),
    })
    const { code, lines } = await command(folder, [])
    expect(code).toBe(0)
    expect(lines.join('\n')).toContain('new      copy.json')
    const copy = JSON.parse(readFileSync(join(folder, 'copy.json'), 'utf8')) as object
    expect(copy).toMatchObject({ openapi: '3.1.0', info: { title: 'Lamps', 'x-not-shown': ['All.'] } })
    writeFiles(folder, { 'copy.json': copy })
    const checked = await command(folder, ['--check'])
    expect(checked.code).toBe(1)
    expect(checked.lines.join('\n')).toContain('differs  copy.json')
  })

  it('are written for a service with an AsyncAPI document alone', async () => {
    const folder = projectOf({
      'events.yaml': "asyncapi: 3.0.0\ninfo: { title: Events, version: '1' }\ncomponents: { schemas: { A: { type: string } } }",
      'overlay.yaml': overlay('$.components.schemas.A'),
      'concord.config.json': lampsConfig({ openapi: undefined, asyncapi: 'events.yaml', overlays: ['overlay.yaml'], overlaid: { asyncapi: 'copy.json' } }),
    })
    const { errors } = await command(folder, [])
    expect(errors).toBe('')
    expect(JSON.parse(readFileSync(join(folder, 'copy.json'), 'utf8'))).toMatchObject({ asyncapi: '3.0.0', components: { schemas: { A: { 'x-not-shown': ['All.'] } } } })
  }) // prettier-ignore
})

describe('concord-generate --watch', () => {
  it('generates again when an input has changed, also after a mistake, until it is stopped', async () => {
    const folder = project()
    const stop = new AbortController()
    const printed: string[] = []
    let heard = () => {}
    const print = (text: string) => {
      printed.push(text)
      heard()
    }
    /** Resolves when something with this text was printed since the last call. */
    const next = async (part: string) => {
      while (!printed.some((text) => text.includes(part)))
        await new Promise<void>((resolve) => (heard = resolve))
      printed.length = 0
    }
    const ended = run(['--watch'], {
      folder,
      version: '',
      print,
      printError: print,
      stopped: () => stop.signal,
    })
    await next('waiting for changes')
    writeFiles(folder, { 'openapi.yaml': lamps.replaceAll('getLamp', 'readLamp') })
    await next('changed  src/gen/api.gen.ts')
    writeFiles(folder, { 'openapi.yaml': 'openapi: [' })
    await next('not valid YAML')
    // Editors write a new file, and replace the old file with it.
    writeFiles(folder, { 'openapi.yaml.new': lamps })
    renameSync(join(folder, 'openapi.yaml.new'), join(folder, 'openapi.yaml'))
    await next('changed  src/gen/api.gen.ts')
    writeFiles(folder, { 'concord.config.json': lampsConfig({ openapi: 'api/later/openapi.yaml' }) })
    await next("the file doesn't exist")
    writeFiles(folder, {
      'api/later/lamp.yaml': 'type: object',
      'api/later/openapi.yaml': lamps
        .replaceAll('getLamp', 'findLamp')
        .replace('#/components/schemas/Lamp', 'lamp.yaml'),
    })
    await next('changed  src/gen/api.gen.ts')
    writeFiles(folder, { 'api/later/lamp.yaml': 'type: string' })
    await next('changed  src/gen/types.gen.ts')
    // A folder is replaced by another folder, as when switching branches.
    writeFiles(folder, {
      'api/new/lamp.yaml': 'type: number',
      'api/new/openapi.yaml': readFileSync(join(folder, 'api/later/openapi.yaml'), 'utf8'),
    })
    renameSync(join(folder, 'api/later'), join(folder, 'api/old'))
    renameSync(join(folder, 'api/new'), join(folder, 'api/later'))
    await next('changed  src/gen/types.gen.ts')
    writeFiles(folder, { 'api/later/lamp.yaml': 'type: boolean' })
    await next('changed  src/gen/types.gen.ts')
    const overlay = (id: string) =>
      `overlay: 1.0.0\ninfo: {title: A, version: '1'}\nactions: [{target: "$.paths.*.get", update: {operationId: ${id}}}]`
    const overlays = ['facts.yaml']
    writeFiles(folder, {
      'concord.config.json': lampsConfig({ openapi: 'api/later/openapi.yaml', overlays }),
    })
    await next("the file doesn't exist")
    writeFiles(folder, { 'facts.yaml': overlay('lookUpLamp') })
    await next('changed  src/gen/api.gen.ts')
    writeFiles(folder, { 'facts.yaml': overlay('askForLamp') })
    await next('changed  src/gen/api.gen.ts')
    stop.abort()
    expect(await ended).toBe(0)
    expect(readFileSync(join(folder, 'src/gen/api.gen.ts'), 'utf8')).toContain('askForLamp(')
  })
})
