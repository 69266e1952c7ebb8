import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import type { PackedPackage } from '../../check/src/packed/pack.ts'
import { root } from '../../check/src/workspace.ts'
import { servicesIn } from '../../generate/src/services.ts'
import { namesOf } from '../../new-service/src/names.ts'

import { Unavailable } from './unavailable.ts'
import { type GroupName, groups, installs } from './groups.ts'

/**
 * Writes two modules (ESM and CommonJS) that export each client package as a namespace. Each namespace has the same
 * name as the emulator's property for the service, such as `storageAuth`.
 */
function writeClients(shared: string): void {
  const lines = (toLine: (camel: string, name: string) => string) =>
    servicesIn(root)
      .map(({ name }) => `${toLine(namesOf(name).camel, name)}\n`)
      .join('')
  const esm = lines((camel, name) => `export * as ${camel} from '@concord/${name}'`)
  writeFileSync(join(shared, 'clients.mjs'), esm)
  const commonJs = lines((camel, name) => `exports.${camel} = require('@concord/${name}')`)
  writeFileSync(join(shared, 'clients.cjs'), commonJs)
}

/**
 * Writes a CommonJS copy of an ES module. The ES module must declare its exports with `export const`,
 * `export function` or `export async function`.
 */
function writeCommonJs(module: string): void {
  const text = readFileSync(module, 'utf8')
  const names = [...text.matchAll(/^export (?:async )?(?:const|function) (\w+)/gm)].map(([, name]) => name)
  writeFileSync(
    module.replace(/\.mjs$/, '.cjs'),
    `${text.replaceAll(/^export /gm, '')}\nmodule.exports = { ${names.join(', ')} }\n`,
  )
}

export const projects = join(import.meta.dirname, '..', 'projects')

/**
 * Creates a folder with the projects, and installs the packages of a group there with npm.
 *
 * @throws Unavailable if npm can't reach the registry, or the registry lacks a third-party package.
 * @throws Error if our own packages don't install.
 */
export function installGroup(parent: string, group: GroupName, packed: readonly PackedPackage[]): string {
  const folder = join(parent, group)
  mkdirSync(folder, { recursive: true })
  cpSync(projects, folder, { recursive: true })
  writeClients(join(folder, 'shared'))
  writeCommonJs(join(folder, 'shared', 'flow.mjs'))
  const ours = packed.filter(({ name }) => installs(group, name))
  const dependencies = {
    ...Object.fromEntries(ours.map(({ name, tarball }) => [name, `file:${tarball}`])),
    ...groups[group],
  }
  writeFileSync(
    join(folder, 'package.json'),
    JSON.stringify({ name: 'consumers', private: true, type: 'module', dependencies }, null, 2),
  )
  const words = [
    'install',
    '--no-audit',
    '--no-fund',
    '--prefer-offline',
    '--ignore-scripts',
    '--loglevel=error',
    // By default, npm waits for minutes if the machine is offline.
    '--fetch-retry-mintimeout=1000',
    '--fetch-retry-maxtimeout=5000',
  ]
  const done = spawnSync('npm', words, { cwd: folder, encoding: 'utf8' })
  if (done.error) throw done.error
  if (done.status === 0) return folder
  const isMissing = /\b(E404|ETARGET|ENOTFOUND|ECONNREFUSED|ETIMEDOUT|EAI_AGAIN|ENOTCACHED)\b/.test(
    done.stderr,
  )
  // Our own packages come from tarballs. If npm looks for one in the registry, a package.json has a wrong dependency.
  const isOurs = /(?:E404|ETARGET)[^]*@concord[/%]/.test(done.stderr)
  if (isMissing && !isOurs) throw new Unavailable(`npm install: ${firstLines(done.stderr)}`)
  throw new Error(`npm install failed\n${done.stderr}`)
}

const firstLines = (text: string): string => text.trim().split('\n').slice(0, 3).join(' ')
