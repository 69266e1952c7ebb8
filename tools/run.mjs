// Runs all root scripts. It starts on any Node from 20 on, installs what is missing, and then uses the Node and the
// pnpm that the workspace pins.
import { spawn, spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const bin = join(root, 'node_modules', '.bin')
const stamp = join(root, 'node_modules', '.concord-installed')
const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

const environment = {
  ...process.env,
  PATH: [bin, process.env.PATH].join(delimiter),
  TURBO_TELEMETRY_DISABLED: '1',
  DO_NOT_TRACK: '1',
}

const turbo = (...words) => ['turbo', 'run', ...words, '--output-logs=errors-only']
const source = ['node', '--conditions=@concord/source']
const buildPackages = turbo('build', '--filter=./packages/*', '--log-prefix=none')

/**
 * The steps of each command. `quiet` steps print to stderr, so that stdout only has the output of the last step. `options` are
 * the options that npm would keep for itself if `--` were missing in front of them.
 */
const commands = {
  start: {
    quiet: [[...source, 'packages/generate/src/cli.ts'], buildPackages],
    last: ['node', 'examples/tour.ts'],
  },
  test: { last: ['node', 'tools/check/src/all.ts'] },
  build: { last: turbo('build') },
  generate: {
    options: ['check', 'config', 'out', 'report', 'service', 'strict', 'watch'],
    quiet: [[...source, 'tools/generate/src/contract-list-cli.ts']],
    last: [...source, 'packages/generate/src/cli.ts'],
  },
  conformance: { last: [...source, 'packages/generate/src/corpus/conformance.ts'] },
  corpus: {
    options: ['tsc', 'every', 'timeout'],
    last: [...source, 'packages/generate/src/corpus/corpus.ts'],
  },
  compare: { options: ['every', 'timeout'], last: [...source, 'tools/corpus/src/compare.ts'] },
  emulator: {
    options: [
      'allow-http-webhooks',
      'api-key',
      'choices',
      'control',
      'cors',
      'host',
      'plan',
      'port',
      'seed',
      'service',
      'set',
    ],
    silent: true,
    quiet: [turbo('build', '--filter=@concord/emulator', '--log-prefix=none')],
    last: ['node', 'packages/emulator/dist/cli.js'],
  },
  example: {
    silent: true,
    quiet: [buildPackages],
    example: true,
  },
  postgres: { last: ['node', 'tools/database/src/versions.ts'] },
  stress: {
    // `jobs` isn't among them, because people set it in npm's own configuration for node-gyp.
    options: ['workers', 'kills'],
    quiet: [buildPackages],
    last: ['node', 'examples/fleet.ts', '--jobs', '20000', '--kills', '500'],
  },
  pack: {
    quiet: [buildPackages],
    last: [
      'pnpm',
      '--recursive',
      '--filter=./packages/*',
      '--filter=@concord/specs',
      'pack',
      '--pack-destination',
      join(root, 'packed'),
    ],
  },
  release: {
    options: ['dry-run'],
    quiet: [buildPackages],
    last: ['node', 'tools/release/src/cli.ts', 'publish'],
  },
  'release-version': { last: ['node', 'tools/release/src/cli.ts', 'version'] },
  repository: { last: ['node', 'tools/release/src/cli.ts', 'repository'] },
  'ci-local': { options: ['list', 'keep'], last: ['node', 'tools/release/src/ci-local.ts'] },
  plan: {
    options: ['base', 'format', 'out', 'write', 'check'],
    last: [...source, 'tools/release-plan/src/cli.ts'],
  },
  change: { options: ['watch'], last: [...source, 'tools/change/src/cli.ts'] },
  surface: {
    quiet: [buildPackages],
    last: ['node', 'tools/check/src/published/surface-cli.ts'],
  },
  prose: { last: ['node', 'tools/prose/src/cli.ts'] },
  'new-service': {
    options: ['events', 'socket'],
    last: ['node', 'tools/new-service/src/cli.ts'],
  },
  consumers: {
    options: ['quick', 'junit', 'keep', 'list'],
    quiet: [buildPackages],
    last: ['node', 'tools/consumers/src/cli.ts'],
  },
  mutants: { options: ['survivors'], last: ['node', 'tools/mutants/src/main.ts'] },
  bench: {
    options: ['quick', 'pin'],
    quiet: [buildPackages],
    last: ['node', 'tools/bench/src/main.ts'],
  },
}

/** Returns the folders with a package.json, from the list in the workspace file. */
function packageFolders() {
  const listed = readFileSync(join(root, 'pnpm-workspace.yaml'), 'utf8').matchAll(
    /^ {2}- ['"]?([\w./*-]+)['"]?$/gm,
  )
  return [...listed].flatMap(([, pattern]) => {
    if (!pattern.endsWith('/*')) return [pattern]
    const parent = pattern.slice(0, -2)
    return readdirSync(join(root, parent)).map((name) => `${parent}/${name}`)
  })
}

function installDigest() {
  const hash = createHash('sha256')
  for (const folder of ['.', ...packageFolders()]) {
    const file = join(root, folder, 'package.json')
    if (existsSync(file)) hash.update(folder).update(readFileSync(file))
  }
  for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) hash.update(readFileSync(join(root, file)))
  return hash.digest('hex')
}

/** @param silent Whether it prints only when it fails. */
function step(words, silent = false) {
  const [command, ...rest] = words
  const stdio = silent ? ['ignore', 'pipe', 'pipe'] : ['ignore', 2, 2]
  const done = spawnSync(command, rest, { cwd: root, env: environment, stdio, encoding: 'utf8' })
  if (done.error) fail(`could not start ${command}: ${done.error.message}`)
  if (done.status === 0) return
  if (silent) console.error(done.stdout, done.stderr)
  process.exit(done.status ?? 1)
}

function fail(message) {
  console.error(`concord: ${message}`)
  process.exit(2)
}

function install() {
  const digest = installDigest()
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === digest) return
  console.error('Installing dependencies (only when something changed) ...')
  step([
    'npx',
    '--yes',
    manifest.packageManager,
    'install',
    '--frozen-lockfile',
    '--prefer-offline',
    // Checks the packages' requirements against the pinned Node, not this machine's.
    `--config.node-version=${manifest.devDependencies.node}`,
    '--reporter=append-only',
  ])
  writeFileSync(stamp, installDigest())
}

function exampleFile(name) {
  const names = readdirSync(join(root, 'examples'))
    .filter((file) => file.endsWith('.ts') && file !== 'run-all.ts')
    .map((file) => file.slice(0, -'.ts'.length))
  const wanted = name?.replace(/^examples\//, '').replace(/\.ts$/, '')
  if (!names.includes(wanted))
    fail(
      `${name === undefined ? 'pass the name of an example' : `unknown example ${JSON.stringify(name)}`}; valid names: ${names.join(', ')}`,
    )
  return `examples/${wanted}.ts`
}

const [name, ...words] = process.argv.slice(2)
const command = commands[name]
if (!command)
  fail(`unknown command ${JSON.stringify(name ?? '')}; valid commands: ${Object.keys(commands).join(', ')}`)

// `npm run release --dry-run` must not become a release.
const kept = (command.options ?? []).find(
  (option) => process.env[`npm_config_${option.replaceAll('-', '_')}`] !== undefined,
)
if (kept !== undefined)
  fail(
    `npm kept --${kept} for itself. Put -- in front of the options: npm run ${process.env.npm_lifecycle_event ?? name} -- --${kept}`,
  )

if (command.example) command.last = ['node', exampleFile(words.shift())]
install()
for (const words of command.quiet ?? []) step(words, command.silent)
const [program, ...rest] = command.last
const child = spawn(program, [...rest, ...words], { cwd: root, env: environment, stdio: 'inherit' })
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
// npm exits without notifying this process, so if the parent process is gone, the child has to be stopped.
const parent = process.ppid
setInterval(() => process.ppid !== parent && child.kill(), 500).unref()
child.on('error', (error) => fail(`could not start ${program}: ${error.message}`))
child.on('exit', (code, signal) =>
  process.exit(code ?? (signal === 'SIGTERM' || signal === 'SIGINT' ? 0 : 1)),
)
