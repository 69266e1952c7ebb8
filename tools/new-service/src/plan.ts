import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { findClash } from './clashes.ts'
import { fill, namesOf, type ServiceNames } from './names.ts'
import { packageFiles, REFERENCE } from './package-files.ts'
import { EDITED } from './registry.ts'

/** The files to write for a new service. Paths are relative to the root of the repository. */
export interface Plan {
  readonly names: ServiceNames
  /** The content of each new file, by path. */
  readonly created: ReadonlyMap<string, string>
  /** The new content of each existing file that needs an entry for the service, by path. */
  readonly edited: ReadonlyMap<string, string>
}

const templates = join(import.meta.dirname, '../templates')
const readTemplate = (file: string): string => readFileSync(join(templates, file), 'utf8')

export interface PlanOptions {
  /** Whether the example contract also has a webhook, in an AsyncAPI document. */
  readonly events?: boolean
  /** Whether the example contract also has a WebSocket, in an AsyncAPI document. */
  readonly socket?: boolean
}

/** Returns the templates that the service needs, each with the path of the file to write. */
function targets(
  { name }: ServiceNames,
  { events, socket }: Required<PlanOptions>,
): readonly (readonly [template: string, target: string])[] {
  const below = (folder: string, target: string) =>
    globSync(`${folder}/**/*.template`, { cwd: templates }).map(
      (file) => [file, target + file.slice(folder.length, -'.template'.length)] as const,
    )
  return [
    ['specs/openapi.yaml.template', `specs/${name}/openapi.yaml`],
    ...(events || socket ? ([['specs/asyncapi.yaml.template', `specs/${name}/asyncapi.yaml`]] as const) : []),
    ...below('client', `packages/${name}`),
    ...below('validators', `packages/${name}-validators`),
    ...below('emulator/src', `packages/emulator/src/${name}`),
    ...below('emulator/test', `packages/emulator/test/${name}`),
    ['emulator/handlers.ts.template', `packages/emulator/src/${name}/handlers/${name}.ts`],
    ...(socket
      ? ([['emulator/dictation.ts.template', `packages/emulator/src/${name}/channels/dictation.ts`]] as const)
      : []),
    ['consumer.ts.template', `tools/consumers/projects/node/services/${name}.ts`],
    ['changeset.md.template', `.changeset/contract-${name}.md`],
  ]
}

/**
 * Plans a service without writing anything.
 *
 * @throws Error if the name is invalid or already used, or if a name in the new files clashes with another name.
 */
export function planService(
  root: string,
  name: string,
  { events = false, socket = false }: PlanOptions = {},
): Plan {
  const names = namesOf(name)
  const values = { ...names, contractUrl: contractUrl(root, name) }
  const parts = { events, socket }
  const created = new Map(
    targets(names, parts).map(([template, target]) => [target, fill(readTemplate(template), values, parts)]),
  )
  for (const [kind, folder] of [
    ['client', `packages/${name}`],
    ['validators', `packages/${name}-validators`],
  ] as const)
    for (const [file, text] of packageFiles(root, names, kind)) created.set(`${folder}/${file}`, text)
  const folders = [
    `specs/${name}`,
    `packages/${name}`,
    `packages/${name}-validators`,
    `packages/emulator/src/${name}`,
  ]
  const taken = [...folders, ...created.keys()].find((path) => existsSync(join(root, path)))
  if (taken !== undefined)
    throw new Error(`${taken} already exists. Choose another name, or first remove all files of ${name}.`)
  const edited = new Map(
    Object.entries(EDITED).map(([file, edit]) => [file, edit(readFileSync(join(root, file), 'utf8'), names)]),
  )
  const clash = findClash(root, [...created, ...edited])
  if (clash !== undefined)
    throw new Error(`${name} can't be the name of a service, because ${clash}. Choose another name.`)
  return { names, created, edited }
}

/** Returns the absolute URL of the contract, because relative links don't work on npm. */
function contractUrl(root: string, name: string): string {
  const manifest = JSON.parse(readFileSync(join(root, 'packages', REFERENCE, 'package.json'), 'utf8')) as {
    readonly homepage: string
  }
  return manifest.homepage.replace(/\/tree\/(\w+)\/.*$/, `/blob/$1/specs/${name}/openapi.yaml`)
}
