import { expect, it } from 'vitest'

import { planted, readDocument } from '../document.ts'
import { silentOpenPlaces, unlabelledIllustrations } from './not-shown.ts'

const document = readDocument('extraction/openapi.yaml')
const plant = (pointer: string, key: string, value?: unknown) => planted(document, pointer, key, value)

it('finds an open schema that does not say why it is open', () => {
  const silent = plant('/components/schemas/PipelineList', 'x-not-shown')
  expect(silentOpenPlaces(silent)).toEqual(['/components/schemas/PipelineList: is open without x-not-shown'])
})

it('finds an example of an open place that looks like a fact', () => {
  const body = '/paths/~1v1~1pipelines/get/responses/200/content/application~1json'
  expect(unlabelledIllustrations(plant(`${body}/examples/names`, 'summary', 'The pipelines'))).toEqual([
    `${body}/examples/names: shows an open place without saying that it is an illustration`,
  ])
})
