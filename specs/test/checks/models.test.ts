import { expect, it } from 'vitest'

import { at, planted, readDocument } from '../document.ts'
import type { JsonObject } from '../document.ts'
import { modelProblems } from './models.ts'

const document = readDocument('media/openapi.yaml')
const schemas = '/components/schemas'

it.each<[string, (copy: JsonObject) => void, string]>([
  [
    'a model that a schema does not take',
    (copy) => (at(copy, '/x-models/1')['endpoints'] = ['/v1/text_to_video']),
    '/x-models gen4_turbo: /v1/text_to_video does not take it',
  ],
  [
    'a model without a row',
    (copy) => (copy['x-models'] as unknown[]).splice(3, 1),
    '/v1/character_performance: takes act_two, which has no row in /x-models',
  ],
  [
    'a requirement of the schema that the row lacks',
    (copy) => (at(copy, '/x-models/1')['requires'] = ['model']),
    '/x-models gen4_turbo: /v1/image_to_video requires model, promptImage',
  ],
  [
    'a requirement of the row that the schema lacks',
    (copy) => (at(copy, `${schemas}/ImageToVideoTurboRequest`)['required'] = ['model']),
    '/x-models gen4_turbo: /v1/image_to_video requires model',
  ],
  [
    'a range that is upside down',
    (copy) => (at(copy, '/x-models/5/cost/0/credits')['min'] = 50),
    '/x-models partner3.1: a range of credits is upside down',
  ],
  [
    'prices that nothing tells apart',
    (copy) => (at(copy, '/x-models/7/cost/1')['when'] = '720p'),
    '/x-models gen4_image: its prices are not told apart',
  ],
  [
    'a model that stands twice',
    (copy) => (copy['x-models'] as unknown[]).push(at(copy, '/x-models/0')),
    '/x-models gen4.5: stands twice for /v1/image_to_video',
  ],
])('finds %s', (_, mistake, problem) => {
  expect(modelProblems(planted(document, mistake))).toContain(problem)
})
