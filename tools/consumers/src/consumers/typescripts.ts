import { copyFileSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

import { root } from '../../../check/src/workspace.ts'
import type { Consumer } from '../consumer.ts'
import type { Project } from '../project.ts'

interface Mode {
  readonly options: Readonly<Record<string, unknown>>
  readonly files: readonly string[]
  /** The TypeScript versions that support this mode. Default: all. */
  readonly versions?: readonly string[]
}

// Copies of the same code. The extension decides whether a copy is an ES module or CommonJS.
const esAndCommonJs = ['web.mts', 'web.cts', 'node.mts', 'node.cts']
const oneFormat = ['web.ts', 'node.ts']

const modes: Readonly<Record<string, Mode>> = {
  nodenext: { options: { module: 'nodenext', types: ['node'] }, files: esAndCommonJs },
  node16: { options: { module: 'node16', types: ['node'] }, files: esAndCommonJs },
  node20: {
    options: { module: 'node20', types: ['node'] },
    files: esAndCommonJs,
    versions: ['5.9', '6.0', '7.0'],
  },
  bundler: { options: { module: 'esnext', moduleResolution: 'bundler', types: ['node'] }, files: oneFormat },
  preserve: { options: { module: 'preserve', types: ['node'] }, files: oneFormat },
  'nodenext without @types/node': {
    options: { module: 'nodenext', types: [] },
    files: ['web.mts', 'web.cts'],
  },
  'bundler without @types/node': {
    options: { module: 'esnext', moduleResolution: 'bundler', types: [] },
    files: ['web.ts'],
  },
  'commonjs, node10': {
    options: { module: 'commonjs', moduleResolution: 'node10', esModuleInterop: true, types: ['node'] },
    files: oneFormat,
    versions: ['5.7', '5.9'],
  },
}

async function compile(project: Project, tsc: string, name: string, mode: Mode): Promise<void> {
  for (const copy of mode.files.map((each) => join(project.folder, each)))
    if (!existsSync(copy)) copyFileSync(copy.replace(/\.[cm]ts$/, '.ts'), copy)
  const file = `tsconfig.${name.replaceAll(/\W+/g, '-')}.json`
  const compilerOptions = {
    target: 'es2022',
    lib: ['es2022', 'dom', 'dom.iterable'],
    strict: true,
    exactOptionalPropertyTypes: true,
    verbatimModuleSyntax: mode.options['module'] !== 'commonjs' && mode.files === oneFormat,
    skipLibCheck: false,
    noEmit: true,
    ...mode.options,
  }
  writeFileSync(join(project.folder, file), JSON.stringify({ compilerOptions, files: mode.files }))
  await project.node([tsc, '-p', file, '--pretty', 'false'])
}

const ownCompiler = join(root, 'node_modules/typescript/bin/tsc')

const inAllModes = (version: string): Consumer => ({
  name: `typescript-${version}`,
  what: `TypeScript ${version}, skipLibCheck false: ${namesFor(version).join('; ')}`,
  group: 'typescript',
  folder: 'typescript',
  async run(project) {
    const tsc = project.file(`typescript-${version}`, 'bin', 'tsc')
    for (const name of namesFor(version)) await compile(project, tsc, name, modes[name]!)
  },
})

const namesFor = (version: string): string[] =>
  Object.entries(modes).flatMap(([name, { versions }]) =>
    versions?.includes(version) === false ? [] : [name],
  )

export const typescripts: readonly Consumer[] = [
  {
    name: 'typescript',
    what: "The workspace's TypeScript, skipLibCheck false: a strict project; also a project without @types/node",
    group: 'node',
    folder: 'typescript',
    isQuick: true,
    async run(project) {
      await project.node([ownCompiler, '-p', '../node', '--pretty', 'false'])
      for (const name of ['nodenext', 'bundler without @types/node'])
        await compile(project, ownCompiler, name, modes[name]!)
    },
  },
  ...['5.7', '5.9', '6.0', '7.0'].map(inAllModes),
]
