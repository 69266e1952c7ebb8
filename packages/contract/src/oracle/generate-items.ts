import type { Media, SchemaOracle } from '@concord/spec-model'
import { itemSchemaOf, type StreamFormat, streamText } from '../http/item-streams.ts'
import { generateValid, objection } from './generate.ts'
import { seededRandom, type Random } from './random.ts'

const ITEM_COUNT = 3

/** Generates the body of a stream from the schema of its items. */
export function generateItems(
  oracle: SchemaOracle,
  media: Media,
  format: StreamFormat,
  random: Random,
): { readonly value: string; readonly label: string } | { readonly problem: string } {
  const item = itemSchemaOf(oracle, media, format)
  if (!item)
    return {
      problem: `the contract has no schema for the items of ${media.type}; add a schema or an example`,
    }
  const items = Array.from({ length: ITEM_COUNT }, () => generateValid(oracle, item.at, random, 'full'))
  if (items.every((one) => one !== undefined)) {
    const values = items.map(({ value }) => value)
    return {
      value: streamText(format, values, item.describes),
      label: 'generated from the schema of the items',
    }
  }
  const why = objection(oracle, item.at, seededRandom(media.type))
  return {
    problem: `no items of ${media.type} can be generated from their schema (${why}); add an example to the contract`,
  }
}
