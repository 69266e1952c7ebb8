import { join } from 'node:path'

import ts from 'typescript'
import { beforeAll, describe, expect, it } from 'vitest'

import { generateService } from '../src/generate.ts'
import { inFolder, serviceNamed } from './support/generated.ts'

const repository = join(import.meta.dirname, '../../..')
const service = serviceNamed('extraction')
const { folder: client } = service.client

const code = `
import type { ExtractionApi, ExtractionApiWithResponse } from './${client}/api.gen.ts'
declare const api: ExtractionApi
declare const whole: ExtractionApiWithResponse
void api.getJob
void whole.getJob
`

/** What an editor shows for the method in each of the two faces. */
async function shownFor(): Promise<string[]> {
  const files = await generateService(service, repository)
  return inFolder(new Map([...files, ['use.ts', code]]), (folder) => {
    const entry = join(folder, 'use.ts')
    const host: ts.LanguageServiceHost = {
      fileExists: (file) => ts.sys.fileExists(file),
      readFile: (file) => ts.sys.readFile(file),
      directoryExists: (path) => ts.sys.directoryExists(path),
      getDirectories: (path) => ts.sys.getDirectories(path),
      getCompilationSettings: () => ({
        strict: true,
        lib: ['lib.es2024.d.ts'],
        types: [],
        module: ts.ModuleKind.NodeNext,
        allowImportingTsExtensions: true,
        noEmit: true,
      }),
      getScriptFileNames: () => [entry],
      getScriptVersion: () => '1',
      getScriptSnapshot: (file) => {
        const text = ts.sys.readFile(file)
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text)
      },
      getCurrentDirectory: () => folder,
      getDefaultLibFileName: (options) => ts.getDefaultLibFilePath(options),
    }
    const editor = ts.createLanguageService(host)
    const places = [code.indexOf('api.getJob') + 4, code.indexOf('whole.getJob') + 6]
    return places.map((place) => {
      const info = editor.getQuickInfoAtPosition(entry, place)
      const tags = info?.tags?.map(({ name, text }) => `@${name} ${ts.displayPartsToString(text)}`) ?? []
      return [ts.displayPartsToString(info?.documentation), ...tags].join('\n')
    })
  })
}

describe('an editor shows, for a method of the api and for the same method that gives the whole answer,', () => {
  let shown: string[]

  beforeAll(async () => {
    shown = await shownFor()
  })

  it.each([
    ['what it does', /^Reads a job\./],
    ['how it is to be used', /wait 5 s, then poll every 5 to 10 s/],
    ['the call on the wire', /`GET \/v1\/jobs\/\{job_id\}`/],
    [
      'what the documentation of the service leaves open',
      /Not shown by the documentation of the service:\n- What triggers/,
    ],
    ['its parameters', /@param input - `path\.job_id`: The identifier of an extraction job\./],
    ['its errors', /@throws ApiError with status 404: The job was not found\./],
    [
      'where it stands in the contract',
      /@see +`specs\/extraction\/openapi\.yaml#\/paths\/~1v1~1jobs~1\{job_id\}\/get`/,
    ],
  ])('%s', (_, text) => {
    expect(shown).toHaveLength(2)
    for (const documentation of shown) expect(documentation).toMatch(text)
  })
})
