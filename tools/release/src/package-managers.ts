import { execFile, execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

import type { PackedRelease } from './publish.ts'
import { root } from './workspace-copy.ts'

interface PackageManager {
  readonly name: string
  readonly add: readonly string[]
  readonly run: readonly string[]
  /** The file, or the member of package.json, that overrides indirect dependencies. Not needed for npm. */
  readonly overrides?: 'pnpm-workspace.yaml' | 'resolutions' | 'overrides'
  readonly environment?: NodeJS.ProcessEnv
}

const BERRY = {
  YARN_ENABLE_IMMUTABLE_INSTALLS: '0',
  YARN_ENABLE_GLOBAL_CACHE: '0',
  // By default, Yarn ignores versions that were published less than a day ago.
  YARN_NPM_MINIMAL_AGE_GATE: '0',
}

export const packageManagers: readonly PackageManager[] = [
  { name: 'npm', add: ['npm', 'install'], run: ['node'] },
  { name: 'pnpm', add: ['pnpm', 'add'], run: ['node'], overrides: 'pnpm-workspace.yaml' },
  { name: 'Yarn 1', add: ['yarn1', 'add'], run: ['node'], overrides: 'resolutions' },
  {
    name: 'Yarn 4',
    add: ['yarn4', 'add'],
    run: ['yarn4', 'node'],
    overrides: 'resolutions',
    environment: BERRY,
  },
  { name: 'Bun', add: ['bun', 'add'], run: ['bun'], overrides: 'overrides' },
]

/** Package managers that come neither with Node nor with the workspace. */
const TOOLS = { yarn1: 'npm:yarn@1.22.22', yarn4: 'npm:@yarnpkg/cli-dist@4.18.1', bun: '1.4.5' }

/** Installs `TOOLS` into a cache in the workspace. Returns the folder that contains their commands. */
function installPackageManagers(): string {
  const folder = join(root, 'tools/release/.cache')
  const bin = join(folder, 'bin')
  const manifest = JSON.stringify({ private: true, dependencies: TOOLS })
  const done = join(
    folder,
    `done-${Object.values(TOOLS)
      .join('+')
      .replaceAll(/[^\w.+-]/g, '-')}`,
  )
  if (existsSync(done)) return bin
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(bin, { recursive: true })
  writeFileSync(join(folder, 'package.json'), manifest)
  const words = [
    'install',
    '--ignore-scripts',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
    '--prefer-offline',
  ]
  execFileSync('npm', words, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })
  const script = (name: string, command: string) =>
    writeFileSync(join(bin, name), `#!/bin/sh\nexec ${command} "$@"\n`, { mode: 0o755 })
  for (const name of ['yarn1', 'yarn4'])
    script(name, `node ${join(folder, 'node_modules', name, 'bin/yarn.js')}`)
  // The name of the package that contains Bun's binary depends on the platform.
  const [platform] = readdirSync(join(folder, 'node_modules/@oven'))
  script('bun', join(folder, 'node_modules/@oven', platform ?? '', 'bin/bun'))
  writeFileSync(done, '')
  return bin
}

interface Installation {
  readonly manager: PackageManager
  readonly environment: NodeJS.ProcessEnv
  /** The packages to install, as arguments of `manager.add`, such as `@concord/extraction`. */
  readonly packages: readonly string[]
  /** Additional members of the project's package.json. */
  readonly manifest?: object
  readonly pnpmWorkspace?: string
}

/** Installs packages into an empty project. Then runs a test program there, which uses the installed emulator. */
export async function installAndRun({ manager, environment, ...installation }: Installation): Promise<void> {
  const project = mkdtempSync(join(tmpdir(), 'concord-project-'))
  const env = {
    ...environment,
    ...manager.environment,
    PATH: [installPackageManagers(), environment['PATH']].join(delimiter),
  }
  const call = async ([command = '', ...words]: readonly string[]): Promise<string> => {
    try {
      return (await promisify(execFile)(command, words, { cwd: project, env, timeout: 300_000 })).stdout
    } catch (error) {
      const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string }
      throw new Error(`${manager.name}: ${[command, ...words].join(' ')} failed:\n${stdout}${stderr}`, {
        cause: error,
      })
    }
  }
  try {
    const manifest = { name: 'project', private: true, type: 'module', ...installation.manifest }
    writeFileSync(join(project, 'package.json'), JSON.stringify(manifest))
    // Because of this lockfile, Yarn 4 doesn't look for an enclosing project in the parent folders.
    if (manager.name === 'Yarn 4') writeFileSync(join(project, 'yarn.lock'), '')
    if (installation.pnpmWorkspace !== undefined)
      writeFileSync(join(project, 'pnpm-workspace.yaml'), installation.pnpmWorkspace)
    cpSync(join(root, 'tools/release/consumer'), project, { recursive: true })
    await call([...manager.add, ...installation.packages])
    const printed = await call([
      ...manager.run,
      './with-emulator.mjs',
      join(root, 'tools/consumers/projects/shared/receipt.png'),
    ])
    if (!printed.includes('all good'))
      throw new Error(`${manager.name}: the test program didn't print "all good". Its output:\n${printed}`)
  } finally {
    rmSync(project, { recursive: true, force: true })
  }
}

/**
 * Prepares the installation of packages from tarballs. Package managers other than npm look for a tarball's
 * dependencies in the registry, even if the same command installs them from tarballs. Overrides prevent this.
 */
export function tarballInstallation(
  manager: PackageManager,
  tarballs: readonly PackedRelease[],
  environment: NodeJS.ProcessEnv,
): Installation {
  const files = Object.fromEntries(tarballs.map(({ name, tarball }) => [name, `file:${tarball}`]))
  const packages = tarballs.map(({ name, tarball }) => `${name}@file:${tarball}`)
  const base = { manager, environment, packages }
  if (manager.overrides === undefined) return base
  if (manager.overrides !== 'pnpm-workspace.yaml')
    return { ...base, manifest: { [manager.overrides]: files } }
  const lines = Object.entries(files).map(([name, file]) => `  '${name}': ${file}\n`)
  return { ...base, pnpmWorkspace: `overrides:\n${lines.join('')}` }
}
