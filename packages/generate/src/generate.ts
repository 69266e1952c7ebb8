import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

import { apiFile } from './emit/api-file.ts'
import { channelsFile } from './emit/channels-file.ts'
import { ClientChecks } from './emit/client-checks.ts'
import { withContracts } from './emit/contract-table.ts'
import { copyPredicates, predicatesIn } from './emit/copy-predicates.ts'
import { exportedNames, typesAndSchemas, usedPredicates } from './emit/hey-api.ts'
import { factsFile } from './emit/facts-file.ts'
import { modelsFile } from './emit/models-file.ts'
import { operationsFile } from './emit/operations-file.ts'
import { withOutcomes } from './emit/outcome-doc.ts'
import { specFile } from './emit/spec-file.ts'
import { checkExports, withExports } from './emit/index-passage.ts'
import { header, importNames } from './emit/text.ts'
import type { ServiceModel } from './normalize/model.ts'
import { schemaName } from './normalize/names.ts'
import { readService } from './normalize/service.ts'
import { readSource } from './read/source.ts'
import type { Service } from './services.ts'

/** The generated files: their content by their paths, relative to the root of the repository. */
export type GeneratedFiles = ReadonlyMap<string, string>

/**
 * Generates all files of a service from its contracts. Reads only; writes nothing.
 *
 * @throws GenerationError if a contract says something that the generator doesn't support.
 */
export async function generateService(service: Service, root: string): Promise<GeneratedFiles> {
  const read = (file: string) => readSource(join(root, file), file)
  const model = await readService(
    read(service.openapi),
    service.asyncapi === undefined ? undefined : read(service.asyncapi),
  )
  const files = new Map(await print(model, service))
  const readme = readmeOf(service)
  if (existsSync(join(root, readme)))
    files.set(readme, withOutcomes(readFileSync(join(root, readme), 'utf8'), model))
  const index = indexOf(service)
  if (existsSync(join(root, index))) {
    const types = exportedNames(files.get(`${service.validators.folder}/types.gen.ts`) ?? '')
    const before = readFileSync(join(root, index), 'utf8')
    const text = withExports(before, model, types, service.validators.packageName)
    checkExports(text, index, model)
    files.set(index, text)
  }
  return files
}

/** Generates the passages that list all services. */
export function generateLists(services: readonly Service[], root: string): GeneratedFiles {
  if (!existsSync(join(root, CONTRACT_LIST))) return new Map()
  const sources = services
    .flatMap(({ openapi, asyncapi }) => (asyncapi === undefined ? [openapi] : [openapi, asyncapi]))
    .map((file) => readSource(join(root, file), file))
  return new Map([[CONTRACT_LIST, withContracts(readFileSync(join(root, CONTRACT_LIST), 'utf8'), sources)]])
}

/** The page with the table of contracts. */
export const CONTRACT_LIST = 'specs/README.md'

/** The index of a client: a passage of it is generated. */
export function indexOf({ client }: Service): string {
  return join(client.folder, '../index.ts')
}

/** The README of a client: a passage of it is generated. */
export function readmeOf({ client }: Service): string {
  return join(client.folder, '../../README.md')
}

/** Prints the source files of a service that was read. */
export async function print(model: ServiceModel, service: Service): Promise<GeneratedFiles> {
  checkReferences(model)
  const { types, schemas, functions } = await typesAndSchemas(model)
  checkComplete(model, types, schemas)
  const written = functions.join('\n')
  const predicates = [
    ...usedPredicates(schemas).filter((name) => !written.includes(`function ${name}(`)),
    ...predicatesIn(written),
  ]
  const files = new Map<string, string>()
  const { validators, client } = service
  files.set(`${validators.folder}/types.gen.ts`, `${header(model)}\n${types}`)
  files.set(`${validators.folder}/schemas.gen.ts`, `${header(model)}${schemas}`)
  if (predicates.length > 0 || functions.length > 0) {
    const text = [header(model), ...functions, ...copyPredicates(predicates)].join('\n')
    files.set(`${validators.folder}/predicates.gen.ts`, text)
  }
  files.set(`${validators.folder}/index.gen.ts`, indexFile(model, types, schemas))
  const checks = new ClientChecks(model, service)
  files.set(`${client.folder}/operations.gen.ts`, operationsFile(model, service, checks))
  files.set(`${client.folder}/api.gen.ts`, apiFile(model, service))
  const channels = channelsFile(model, service, checks)
  if (channels !== undefined) files.set(`${client.folder}/channels.gen.ts`, channels)
  files.set(`${client.folder}/checks.gen.ts`, checks.print())
  const facts = factsFile(model)
  if (facts !== undefined) files.set(`${client.folder}/facts.gen.ts`, facts)
  const models = modelsFile(model)
  if (models !== undefined) files.set(`${client.folder}/models.gen.ts`, models)
  for (const { folder } of [validators, client]) files.set(`${folder}/spec.gen.ts`, specFile(model))
  return files
}

/** hey-api skips a reference that it can't resolve, without an error. */
function checkReferences(model: ServiceModel): void {
  for (const [name, schema] of model.schemas) {
    for (const [, reference = ''] of JSON.stringify(schema).matchAll(
      /"\$ref":"#\/components\/schemas\/([^"]+)"/g,
    )) {
      if (!model.schemas.has(reference))
        throw new Error(`\`${name}\` refers to \`${reference}\`, which doesn't exist`)
    }
  }
}

/** hey-api renames names that clash, without an error. None may be renamed or missing. */
function checkComplete(model: ServiceModel, types: string, schemas: string): void {
  const madeTypes = new Set(exportedNames(types))
  const madeSchemas = new Set(exportedNames(schemas))
  for (const name of model.schemas.keys()) {
    if (!madeTypes.has(name)) throw new Error(`hey-api made no type \`${name}\``)
    if (!madeSchemas.has(schemaName(name))) throw new Error(`hey-api made no schema \`${schemaName(name)}\``)
  }
}

function indexFile(model: ServiceModel, types: string, schemas: string): string {
  return (
    `${header(model)}\n` +
    importNames('export type', exportedNames(types), './types.gen.ts') +
    importNames('export', exportedNames(schemas), './schemas.gen.ts') +
    importNames('export', ['spec'], './spec.gen.ts')
  )
}
