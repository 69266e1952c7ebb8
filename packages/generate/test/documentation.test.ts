import { join } from 'node:path'

import ts from 'typescript'
import { beforeAll, describe, expect, it } from 'vitest'

import { filesOf } from './support/services.ts'
import { serviceNamed } from './support/generated.ts'
import { inFolder } from '../src/corpus/scratch.ts'

const repository = join(import.meta.dirname, '../../..')
const service = serviceNamed('extraction')
const { folder: client } = service.client

const code = `
import type { ExtractionApi, ExtractionApiWithResponse } from './${client}/api.gen.ts'
declare const api: ExtractionApi
declare const whole: ExtractionApiWithResponse
void api.getJob
void whole.getJob
void api.processDocument
void whole.processDocument
`

/** The hover text of a method of the two interfaces. */
async function shownFor(method: string): Promise<string[]> {
  const files = await filesOf(service, repository)
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
    const places = [code.indexOf(`api.${method}`) + 4, code.indexOf(`whole.${method}`) + 6]
    return places.map((place) => {
      const info = editor.getQuickInfoAtPosition(entry, place)
      const tags = info?.tags?.map(({ name, text }) => `@${name} ${ts.displayPartsToString(text)}`) ?? []
      return [ts.displayPartsToString(info?.documentation), ...tags].join('\n')
    })
  })
}

describe('the documentation of a method, with and without the whole response,', () => {
  let shown: string[]
  let uncertain: string[]

  beforeAll(async () => {
    shown = await shownFor('getJob')
    uncertain = await shownFor('processDocument')
  })

  it.each([
    ['what it does', /^Reads a job\./],
    ['how to use it', /wait 5 s, then poll every 5 to 10 s/],
    ['which request it sends', /`GET \/v1\/jobs\/\{job_id\}`/],
    [
      'what the documentation of the service leaves open',
      /Undocumented: what triggers each internal transition of a job, .*; what happens/,
    ],
    ['what its parameters are', /@param input - `path\.job_id`: The identifier of an extraction job\./],
    ['what the options of a call are', /@param options - Settings of this call, such as `signal`/],
    ['which errors it throws', /@throws ApiError with status 404: The job was not found\./],
    [
      'where it is in the contract',
      /@see +`specs\/extraction\/openapi\.yaml#\/paths\/~1v1~1jobs~1\{job_id\}\/get`/,
    ],
  ])('says %s', (_, text) => {
    expect(shown).toHaveLength(2)
    for (const documentation of shown) expect(documentation).toMatch(text)
  })

  it('says what to do if a lost response or a 5xx leaves the effect unknown', () => {
    expect(uncertain).toHaveLength(2)
    for (const documentation of uncertain) {
      expect(documentation).toMatch(
        /@throws SubmissionUncertainError if the response is lost, .* a 5xx .*ServerError.*twice\./,
      )
      expect(documentation).toContain('@throws SubmissionUncertainError with status 500')
      expect(documentation).not.toContain('@throws ApiError with status 500')
    }
    for (const documentation of shown) expect(documentation).not.toContain('Uncertain')
  })
})
