import { expect, it } from 'vitest'

import { at, planted, readDocument } from '../document.ts'
import type { JsonObject } from '../document.ts'
import { modelProblems } from './models.ts'

const document = readDocument('media/openapi.yaml')
const schemas = '/components/schemas'

it.each<[string, (copy: JsonObject) => void, string]>([
  [
    'a model that a schema does not list',
    (copy) => (at(copy, '/x-models/1')['endpoints'] = ['/v1/text_to_video']),
    '/x-models gen4_turbo: /v1/text_to_video does not list it',
  ],
  [
    'a model without a row',
    (copy) => (copy['x-models'] as unknown[]).splice(3, 1),
    '/v1/character_performance: lists act_two, which has no row in /x-models',
  ],
  [
    'a required field that the schema does not have',
    (copy) => (at(copy, '/x-models/1')['requiresOneOf'] = [['image', '*']]),
    '/x-models gen4_turbo: requires image, which /v1/image_to_video does not have',
  ],
  [
    'models that are closed to others',
    (copy) => delete at(copy, `${schemas}/VideoToVideoModel`)['x-open-enum'],
    '/x-models gen4_aleph: /v1/video_to_video does not list it',
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
    'a model that is listed twice',
    (copy) => (copy['x-models'] as unknown[]).push(at(copy, '/x-models/0')),
    '/x-models gen4.5: is listed twice for /v1/image_to_video',
  ],
])('finds %s', (_, mistake, problem) => {
  expect(modelProblems(planted(document, mistake))).toContain(problem)
})
