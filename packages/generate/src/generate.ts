import { apiFile } from './emit/api-file.ts'
import { channelsFile } from './emit/channels-file.ts'
import { ClientChecks } from './emit/client-checks.ts'
import { clientExports, clientFile } from './emit/client-file.ts'
import { copyPredicates, predicatesIn } from './emit/copy-predicates.ts'
import { enumsFile, factsFile, modelsFile, securityFile, specFile } from './emit/data-files.ts'
import { exportedNames, typesAndSchemas, usedPredicates } from './emit/hey-api.ts'
import { withExplicitTypes } from './emit/explicit-schemas.ts'
import { operationsFile } from './emit/operations-file.ts'
import { withOutcomes } from './emit/outcome-doc.ts'
import { referencesIn } from './emit/quick-checks.ts'
import { checkExports, withExports } from './emit/index-passage.ts'
import { header, importNames } from './emit/text.ts'
import type { ServiceModel } from './normalize/model.ts'
import { factoryName, schemaName } from './normalize/names.ts'
import { readService } from './normalize/service.ts'
import { readReferences } from './read/references.ts'
import { type Inputs, nameOf } from './inputs.ts'
import { readContracts } from './overlay/contracts.ts'
import { GenerationError } from './problems.ts'
import { type Service, foldersOf } from './services.ts'

/** The content of each generated file, by the file's path relative to the root of the config. */
export type GeneratedFiles = ReadonlyMap<string, string>

interface GeneratedService {
  readonly model: ServiceModel
  readonly files: GeneratedFiles
}

/**
 * Generates all files of a service from its contracts. Writes nothing.
 *
 * @throws GenerationError if an input can't be read, or if a contract has problems
 */
export async function generateService(service: Service, inputs: Inputs): Promise<GeneratedService> {
  try {
    return await generated(service, inputs)
  } catch (error) {
    if (!/call stack size/.test(String(error))) throw error
    const reason = 'its schemas are nested too deeply, directly or through references; reduce the nesting'
    throw new GenerationError([{ place: { file: nameOf(service.openapi), pointer: '#' }, reason }])
  }
}

async function generated(service: Service, inputs: Inputs): Promise<GeneratedService> {
  const { strict = false } = service
  const { requests, events, documents, notes } = await readContracts(service, inputs)
  if (strict && notes.length > 0) throw new GenerationError(notes.map((note) => ({ ...note, strict: true })))
  const contracts = events ? [requests, events] : [requests]
  const referred = await readReferences(contracts, (input) => inputs.readReferred(input))
  const read = await readService(requests, events, { strict, apiName: service.apiName, ...referred })
  const isEmpty = read.operations.length + read.channels.length + read.schemas.size === 0
  if (isEmpty) {
    const reason =
      'it has no operations, channels or schemas, so nothing can be generated; add at least one, or name another document in the config'
    throw new GenerationError([{ place: requests.place('#'), reason }])
  }
  const departures = [...notes.map((note) => ({ ...note, effect: 'noted' as const })), ...read.departures]
  const model = { ...read, departures }
  const files = new Map(await print(model, service))
  const { readme, index, overlaid = {} } = service
  for (const name of ['openapi', 'asyncapi'] as const) {
    const [path, document] = [overlaid[name], documents[name]]
    if (path !== undefined && document) files.set(path, `${JSON.stringify(document.value, undefined, 2)}\n`)
  }
  if (readme !== undefined) files.set(readme, withOutcomes(await inputs.text(readme), model))
  if (index !== undefined) {
    const types = exportedNames(files.get(`${service.validators.folder}/types.gen.ts`) ?? '')
    const text = withExports(await inputs.text(index), model, types, { ...service, index })
    checkExports(text, index, model)
    files.set(index, text)
  }
  return { model, files }
}

/** Prints the generated files of a service from its model. */
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
  const add = (folder: string, name: string, text: string | undefined): void => {
    if (text !== undefined) files.set(`${folder}/${name}.gen.ts`, text)
  }
  add(validators.folder, 'types', `${header(model)}\n${types}`)
  const shown = service.isolatedDeclarations === true ? withExplicitTypes(schemas, model) : schemas
  add(validators.folder, 'schemas', `${header(model)}${shown}`)
  if (predicates.length > 0 || functions.length > 0)
    add(
      validators.folder,
      'predicates',
      [header(model), ...functions, ...copyPredicates(predicates)].join('\n'),
    )
  const checks = new ClientChecks(model, service)
  add(client.folder, 'operations', operationsFile(model, service, checks))
  add(client.folder, 'api', apiFile(model, service))
  add(client.folder, 'channels', channelsFile(model, service, checks))
  add(client.folder, 'checks', checks.print())
  add(client.folder, 'client', clientFile(model, service))
  if (service.className !== undefined) add(client.folder, 'security', securityFile(model))
  add(validators.folder, 'enums', enumsFile(model))
  add(client.folder, 'facts', factsFile(model))
  add(client.folder, 'models', modelsFile(model))
  for (const folder of foldersOf(service)) add(folder, 'spec', specFile(model))
  add(validators.folder, 'index', indexFile(model, service, files))
  return service.importExtension === '.js' ? withJsImports(files) : files
}

/** Changes `.ts` to `.js` in the imports between generated files. By default, TypeScript rejects `.ts` in imports. */
function withJsImports(files: GeneratedFiles): GeneratedFiles {
  return new Map(
    [...files].map(([file, text]) => [
      file,
      text
        // Strings and comments from a contract never start a line, so these patterns don't match them.
        .replaceAll(/^((?:import|export|\}) .*from '\.\/[\w-]+\.gen)\.ts'$/gm, "$1.js'")
        .replaceAll(/^( {2}schema: \(\) => import\('\.\/schemas\.gen)\.ts'/gm, "$1.js'"),
    ]),
  )
}

/** Throws if a reference leads to no schema, because hey-api would silently skip the reference. */
function checkReferences(model: ServiceModel): void {
  for (const [name, schema] of model.schemas) {
    for (const reference of referencesIn(schema)) {
      if (!model.schemas.has(reference))
        throw new Error(`\`${name}\` refers to \`${reference}\`, which doesn't exist`)
    }
  }
}

/** Throws if hey-api renamed a type or a schema. When names clash, hey-api silently renames some of them. */
function checkComplete(model: ServiceModel, types: string, schemas: string): void {
  const madeTypes = new Set(exportedNames(types))
  const madeSchemas = new Set(exportedNames(schemas))
  for (const name of model.schemas.keys()) {
    if (!madeTypes.has(name)) throw new Error(`hey-api made no type \`${name}\``)
    if (!madeSchemas.has(schemaName(name))) throw new Error(`hey-api made no schema \`${schemaName(name)}\``)
  }
}

/**
 * Returns index.gen.ts. If the client and the validators share a folder, index.gen.ts also exports the client, but
 * not the schemas. The schemas load zod, which is needed only to explain why a value is invalid.
 */
function indexFile(model: ServiceModel, service: Service, files: GeneratedFiles): string {
  const { client, validators } = service
  const names = (folder: string, name: string) => exportedNames(files.get(`${folder}/${name}.gen.ts`) ?? '')
  const types = importNames('export type', names(validators.folder, 'types'), './types.gen.ts')
  const spec = importNames('export', ['spec'], './spec.gen.ts')
  const enums = importNames('export', names(validators.folder, 'enums'), './enums.gen.ts')
  if (validators.folder !== client.folder) {
    const schemas = importNames('export', names(validators.folder, 'schemas'), './schemas.gen.ts')
    return `${header(model)}\n${types}${schemas}${enums}${spec}`
  }
  const { apiName } = service
  const operations = model.operations.map(({ id }) => id)
  const channels = model.channels.map(({ id }) => id)
  const factory = factoryName(apiName)
  return (
    `${header(model)}\n${types}${enums}` +
    importNames('export type', [apiName, `${apiName}WithResponse`], './api.gen.ts') +
    importNames('export', [factory, `${factory}WithResponse`], './api.gen.ts') +
    importNames('export', operations, './operations.gen.ts') +
    importNames('export', channels, './channels.gen.ts') +
    importNames(
      'export type',
      names(client.folder, 'channels').filter((name) => !channels.includes(name)),
      './channels.gen.ts',
    ) +
    clientExports(model, service) +
    spec
  )
}
