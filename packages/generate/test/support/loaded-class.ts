import { join, resolve } from 'node:path'

import { jsonReport } from '../../src/command/report.ts'
import { type GeneratedFiles, print } from '../../src/generate.ts'
import type { ServiceModel } from '../../src/normalize/model.ts'
import { readService } from '../../src/normalize/service.ts'
import { readSource } from '../../src/read/source.ts'
import type { Service } from '../../src/services.ts'

const fixtures = join(import.meta.dirname, '../fixtures')
const runtime = resolve(import.meta.dirname, '../../../runtime/src')

/** A service of the fixtures with a generated class. */
const tides: Service = {
  openapi: 'tides/openapi.yaml',
  asyncapi: 'tides/asyncapi.yaml',
  ...named('tides'),
}

/** Where the packages are that the generated files of {@link tides} import. */
export const packages = {
  '@concord/tides-validators': './validators/index.gen.ts',
  '@concord/tides': './client/client.gen.ts',
}

/** Another one, without channels: bodies with several media types, headers of responses, discriminators. */
const ferries = { openapi: 'ferries/openapi.yaml', ...named('ferries') }

/** A third one: what documents contain that hardly any author means, or that few tools can read. */
const corners = { openapi: 'corners/openapi.yaml', ...named('corners') }

/** A fourth one, with nothing but channels: what documents of other teams contain. */
const lights = { openapi: 'lights/asyncapi.yaml', ...named('lights') }

/** Generates the class of {@link lights}, with everything around it. */
export function generateLights(): Promise<GeneratedFiles> {
  return generateFixture(lights)
}

/** Generates the class of {@link ferries}, with everything around it. */
export function generateFerries(): Promise<GeneratedFiles> {
  return generateFixture(ferries)
}

/** Generates the class of {@link corners}, with everything around it and its fidelity report. */
export async function generateCorners(): Promise<GeneratedFiles> {
  const { openapi, name } = corners
  const model = await modelOf(openapi)
  const { operations, channels } = model
  const result = {
    ...model,
    name,
    contract: openapi,
    operations: operations.length,
    channels: channels.length,
    files: [],
  }
  return new Map([...(await print(model, corners)), ['fidelity.json', JSON.stringify(jsonReport([result]))]])
}

async function generateFixture(service: Service & { readonly openapi: string }): Promise<GeneratedFiles> {
  return print(await modelOf(service.openapi), service)
}

function modelOf(openapi: string): Promise<ServiceModel> {
  return readService(readSource(join(fixtures, openapi), openapi), undefined, { strict: false })
}

/** Generates the class of the fixture, with everything around it. */
export async function generateTides(): Promise<GeneratedFiles> {
  const read = (file: string) => readSource(join(fixtures, file), file)
  const model = await readService(read('tides/openapi.yaml'), read('tides/asyncapi.yaml'), { strict: false })
  return print(model, tides)
}

/** The same files, importing the packages from where they are. */
export function runnable(files: GeneratedFiles): GeneratedFiles {
  const places = {
    '@concord/runtime': join(runtime, 'index.ts'),
    '@concord/runtime/internal': join(runtime, 'internal.ts'),
  }
  return new Map(
    [...files].map(([file, text]) => {
      const up = file.includes('/') ? '..' : '.'
      const all = {
        ...places,
        '@concord/tides-validators': `${up}/validators/index.gen.ts`,
        '@concord/tides': `${up}/client/client.gen.ts`,
        '@concord/ferries-validators': `${up}/validators/index.gen.ts`,
        '@concord/lights-validators': `${up}/validators/index.gen.ts`,
        '@concord/ferries': `${up}/client/client.gen.ts`,
      }
      return [
        file,
        Object.entries(all).reduce((code, [name, place]) => code.replaceAll(`'${name}'`, `'${place}'`), text),
      ]
    }),
  )
}

/** The names of a fixture's packages and classes, and where they are generated. */
function named(name: string) {
  const className = name.charAt(0).toUpperCase() + name.slice(1)
  return {
    name,
    apiName: `${className}Api`,
    className,
    validators: { packageName: `@concord/${name}-validators`, folder: 'validators' },
    client: { folder: 'client' },
  }
}
