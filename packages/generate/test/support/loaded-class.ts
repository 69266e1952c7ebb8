import { join, resolve } from 'node:path'

import { createContractSuite } from '@concord/contract'
import { clientSubject, type TestedClient } from '@concord/contract-kit'
import type { Client } from '@concord/runtime'
import { expect } from 'vitest'

import { jsonReport } from '../../src/command/report.ts'
import { inFolder } from '../../src/corpus/scratch.ts'
import { type GeneratedFiles, print } from '../../src/generate.ts'
import { readService } from '../../src/normalize/service.ts'
import { readSource } from '../../src/read/source.ts'

const fixtures = join(import.meta.dirname, '../fixtures')
const runtime = resolve(import.meta.dirname, '../../../runtime/src')

/** The documents of each fixture. */
const documents = {
  /** Servers, credentials, waits and channels. */
  tides: ['openapi.yaml', 'asyncapi.yaml'],
  /** Bodies with several media types, headers of responses, discriminators. */
  ferries: ['openapi.yaml'],
  /** Parts of documents that are usually mistakes, or that few tools support. */
  corners: ['openapi.yaml'],
  /** Only channels, in the style of other teams' documents. */
  lights: ['asyncapi.yaml'],
} as const
type Fixture = keyof typeof documents

/** The sizes of a run. They are large enough to see every operation, response and message. */
export const sizes = { randomResponses: 1, mutantsOverWire: 3, schemaValues: 3 }

/** The paths of the packages that the generated files of a fixture import. */
export function packagesOf(name: Fixture, up = '.') {
  return {
    [`@concord/${name}-validators`]: `${up}/validators/index.gen.ts`,
    [`@concord/${name}`]: `${up}/client/client.gen.ts`,
  }
}

/** Generates the class of a fixture, with everything around it and its fidelity report. */
export async function generateFixture(name: Fixture): Promise<GeneratedFiles> {
  const [main, other] = documents[name].map((file) =>
    readSource(join(fixtures, name, file), `${name}/${file}`),
  )
  const model = await readService(main!, other, { strict: false })
  const className = name.charAt(0).toUpperCase() + name.slice(1)
  const files = await print(model, {
    name,
    openapi: main!.file,
    apiName: `${className}Api`,
    className,
    validators: { packageName: `@concord/${name}-validators`, folder: 'validators' },
    client: { folder: 'client' },
  })
  const [operations, channels] = [model.operations.length, model.channels.length]
  const result = { ...model, name, contract: main!.file, operations, channels, files: [] }
  return new Map([...files, ['fidelity.json', JSON.stringify(jsonReport([result]))]])
}

/** The same files, with imports of the packages by their paths. */
export function runnable(name: Fixture, files: GeneratedFiles): GeneratedFiles {
  return new Map(
    [...files].map(([file, text]) => {
      const places = {
        '@concord/runtime': join(runtime, 'index.ts'),
        '@concord/runtime/internal': join(runtime, 'internal.ts'),
        ...packagesOf(name, file.includes('/') ? '..' : '.'),
      }
      const replaced = Object.entries(places).reduce(
        (code, [imported, place]) => code.replaceAll(`'${imported}'`, `'${place}'`),
        text,
      )
      return [file, replaced]
    }),
  )
}

type Module = Readonly<Record<string, unknown>>
export type LoadedModules = Readonly<Record<string, Module>>

/** Imports the generated modules of a fixture, by their names without `.gen.ts`. */
export function loadModules(name: Fixture, files: GeneratedFiles): Promise<LoadedModules> {
  return inFolder(runnable(name, files), async (folder) => {
    const modules: Record<string, Module> = {}
    for (const file of files.keys()) {
      if (file.endsWith('.gen.ts'))
        modules[file.slice(0, -'.gen.ts'.length)] = (await import(
          /* @vite-ignore */ join(folder, file)
        )) as Module
    }
    // Schemas would load only when a value is rejected for the first time. By then, the folder has been removed.
    const checks = Object.values(modules['client/checks'] ?? {}) as { readonly schema?: () => unknown }[]
    await Promise.all(checks.map(async (check) => check.schema?.()))
    return modules
  })
}

interface LoadedClient extends AsyncDisposable {
  readonly withResponse: object
  readonly client: Client
}
type Target = Parameters<Parameters<typeof clientSubject>[0]['connect']>[0]

/** Runs the contract tests of a fixture's class, and expects all of them to pass. Returns their names. */
export async function passContractTests(
  name: Fixture,
  modules: LoadedModules,
  connect: (target: Target, options: object) => LoadedClient,
): Promise<readonly string[]> {
  const subject = clientSubject({
    service: name,
    generated: {
      operations: modules['client/operations'] as never,
      validators: modules['validators/index'] ?? {},
      checks: modules['client/checks'] ?? {},
    },
    connect(target, options): TestedClient {
      const connected = connect(target, options)
      return {
        withResponse: connected.withResponse,
        exchange: connected.client.exchange,
        [Symbol.asyncDispose]: () => connected[Symbol.asyncDispose](),
      }
    },
  })
  const suite = await createContractSuite({ spec: join(fixtures, name, 'openapi.yaml'), subject, sizes })
  try {
    const findings: unknown[] = []
    for (const check of suite.checks)
      findings.push(...(await check.run()).map((one) => ({ name: check.name, ...one })))
    expect(findings).toEqual([])
    return suite.checks.map((check) => check.name)
  } finally {
    await suite.close()
  }
}
