import { expect, it } from 'vitest'
import { stringify } from 'yaml'

import { at, planted, readDocument } from './document.ts'
import type { JsonObject } from './document.ts'
import { parseAsyncApi } from './services.ts'

const file = 'extraction/asyncapi.yaml'

it.each<[string, (copy: JsonObject) => void]>([
  ['an operation without an action', (copy) => delete at(copy, '/operations/jobCompleted')['action']],
  [
    'a reference to nothing',
    (copy) =>
      (at(copy, '/components/messages/jobCompleted/payload')['$ref'] =
        './openapi.yaml#/components/schemas/Nothing'),
  ],
  [
    'an operation on no channel',
    (copy) => (at(copy, '/operations/jobCompleted/channel')['$ref'] = '#/channels/nothing'),
  ],
])("the AsyncAPI parser's complaints include %s", async (_, mistake) => {
  const { complaints } = await parseAsyncApi(file, stringify(planted(readDocument(file), mistake)))
  expect(complaints).not.toEqual([])
})
