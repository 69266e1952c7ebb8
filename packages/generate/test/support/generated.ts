import { basename, join } from 'node:path'

import { stringify } from 'yaml'
import type * as z from 'zod'

import { inFolder } from '../../src/corpus/scratch.ts'
import { print } from '../../src/generate.ts'
import type { ServiceModel } from '../../src/normalize/model.ts'
import { readService } from '../../src/normalize/service.ts'
import { type Source, parseSource } from '../../src/read/source.ts'
import type { Service } from '../../src/services.ts'
import { services } from './services.ts'

/** A service for contracts that exist only in a test. */
export const testService: Service = {
  name: 'test',
  openapi: 'specs/test/openapi.yaml',
  apiName: 'TestApi',
  validators: { packageName: '@concord/test-validators', folder: 'packages/test-validators/src/gen' },
  client: { folder: 'packages/test/src/gen' },
}

/** An entry of the table of services. */
export function serviceNamed(name: string): Service {
  const service = services.find((entry) => entry.name === name)
  if (!service) throw new Error(`there is no service ${name}`)
  return service
}

/** An OpenAPI document with only these members. */
export function documentOf(members: object): Source {
  const whole = { openapi: '3.1.0', info: { title: 'Test', version: '1.0.0' }, paths: {}, ...members }
  return parseSource(stringify(whole, { aliasDuplicateObjects: false }), testService.openapi)
}

/** An OpenAPI document with these component schemas. */
export function schemasOf(schemas: object): Source {
  return documentOf({ components: { schemas } })
}

/** The model of a document, with a list of departures instead of errors. */
export function modelOf(
  source: Source,
  options: Parameters<typeof readService>[2] = {},
): Promise<ServiceModel> {
  return readService(source, undefined, { strict: false, ...options })
}

/** The places of the departures with an effect, by default `widened`. */
export function departuresOf(
  { departures }: ServiceModel,
  effect: 'widened' | 'noted' = 'widened',
): readonly string[] {
  return departures.filter((one) => one.effect === effect).map(({ place }) => place.pointer)
}

/** The content of the generated files, by file name. */
export async function generate(source: Source): Promise<ReadonlyMap<string, string>> {
  return printed(await modelOf(source))
}

/** The content of the files of a model, by file name. */
export async function printed(model: ServiceModel): Promise<ReadonlyMap<string, string>> {
  const files = await print(model, testService)
  return new Map([...files].map(([file, text]) => [basename(file), text]))
}

/** Loaded schemas. */
export type Schemas = Readonly<Record<string, z.ZodType>>

/** The libraries for generated schemas: the newest zod, the oldest supported zod, or zod/mini. */
export const bindings = ['zod', 'zod-lowest', 'zod/mini'] as const

/** Loads generated schemas. */
export function loadSchemas(
  files: ReadonlyMap<string, string>,
  zod: (typeof bindings)[number] = 'zod',
): Promise<Schemas> {
  const wanted = ['schemas.gen.ts', 'predicates.gen.ts', 'types.gen.ts']
  const texts = [...files]
    .map(([file, text]) => [basename(file), text.replace("from 'zod'", `from '${zod}'`)] as const)
    .filter(([file]) => wanted.includes(file))
  return inFolder(new Map(texts), async (folder) => {
    const loaded: Schemas = await import(/* @vite-ignore */ join(folder, 'schemas.gen.ts'))
    return loaded
  })
}

/** Generates the schemas of a document and loads them. */
export async function schemasFrom(schemas: object): Promise<Schemas> {
  return loadSchemas(await generate(schemasOf(schemas)))
}

/** For each value, whether a schema accepts it. */
export function accepted(schemas: Schemas, name: string, values: readonly unknown[]): unknown[] {
  const schema = schemas[name]
  if (!schema) throw new Error(`there is no schema ${name}; there are: ${Object.keys(schemas).join(', ')}`)
  return values.filter((value) => schema.safeParse(value).success)
}
