import { expect, it } from 'vitest'
import { stringify } from 'yaml'

import { planted, readDocument } from './document.ts'
import { parseAsyncApi } from './services.ts'

const file = 'extraction/asyncapi.yaml'

it.each<[what: string, pointer: string, key: string, mistake?: string]>([
  ['an operation without an action', '/operations/jobCompleted', 'action'],
  [
    'a reference to nothing',
    '/components/messages/jobCompleted/payload',
    '$ref',
    './openapi.yaml#/components/schemas/Nothing',
  ],
  ['an operation on no channel', '/operations/jobCompleted/channel', '$ref', '#/channels/nothing'],
])("the AsyncAPI parser's complaints include %s", async (_, pointer, key, mistake) => {
  const mistaken = planted(readDocument(file), pointer, key, mistake)
  const { complaints } = await parseAsyncApi(file, stringify(mistaken))
  expect(complaints).not.toEqual([])
})
