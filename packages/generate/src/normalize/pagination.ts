import type { ContractNode } from '../read/contract.ts'
import { asObject, isObject, typesOf } from '../read/json.ts'
import { childPointer } from '../read/pointer.ts'
import type { PaginationModel, ParameterModel, ResponseModel } from './model.ts'

/** For each query parameter that can be a cursor, the members of a response body that can contain the next cursor. */
const CURSORS: Readonly<Record<string, readonly string[]>> = {
  cursor: ['next_cursor', 'nextCursor'],
  next_token: ['next_token'],
  nextToken: ['nextToken'],
  page_token: ['next_page_token', 'nextPageToken'],
  pageToken: ['nextPageToken', 'next_page_token'],
  continuation_token: ['continuation_token', 'next_continuation_token'],
  continuationToken: ['continuationToken', 'nextContinuationToken'],
}

const PAGE_COUNTS = ['total_pages', 'totalPages', 'page_count', 'pageCount']
const ITEM_COUNTS = ['total', 'total_count', 'totalCount']

/**
 * Reads `x-pagination`, which says how to get the next page of a list. If it's missing, this function looks for usual
 * signs of a paginated list, such as a member `next_cursor`, and adds a note if it finds them. In strict mode, only
 * `x-pagination` counts.
 */
export function readPagination(
  operation: ContractNode,
  method: string,
  parameters: readonly ParameterModel[],
  responses: readonly ResponseModel[],
): PaginationModel | undefined {
  const word = operation.raw['x-pagination']
  if (isObject(word)) {
    const { by, parameter, in: place, next, items = '', first, more, total } = word
    return {
      by: by as PaginationModel['by'],
      items: String(items),
      ...(typeof parameter === 'string' && { parameter }),
      ...(place === 'body' && { in: place }),
      ...(typeof next === 'string' && { next }),
      ...(typeof first === 'number' && { first }),
      ...(typeof more === 'string' && { more }),
      ...(typeof total === 'string' && { total }),
    }
  }
  if (operation.contract.isStrict || method !== 'GET') return undefined
  const success = responses.find(({ status }) => status.startsWith('2'))
  if (success?.kind !== 'json') return undefined
  const found = byConvention(operation, parameters, success.status)
  if (found)
    operation.note(
      `this looks like a list that is paginated by ${found.by}, so it is generated as a paginated list; add \`x-pagination\` to confirm this`,
    )
  return found
}

function byConvention(
  operation: ContractNode,
  parameters: readonly ParameterModel[],
  status: string,
): PaginationModel | undefined {
  const { contract } = operation
  const responses = operation.at('responses')
  const key = Object.keys(responses.raw).find((each) => each.toUpperCase() === status) ?? status
  const response = responses.at(key).follow().raw
  if (!isObject(response['content'])) return undefined
  const [media] = Object.values(response['content'])
  const body = contract.resolveObject(asObject(media)['schema'])
  if (body['type'] === 'array') {
    const headers = Object.keys(asObject(response['headers']))
    return headers.some((name) => name.toLowerCase() === 'link') ? { by: 'link', items: '' } : undefined
  }
  const members = asObject(body['properties'])
  const lists = Object.keys(members).filter((name) =>
    typesOf(contract.resolveObject(members[name])).includes('array'),
  )
  const [list] = lists
  if (list === undefined || lists.length > 1) return undefined
  const items = childPointer('', list)
  const find = (names: readonly string[], type: string) =>
    names.find((name) => typesOf(contract.resolveObject(members[name])).includes(type))
  const optional = parameters.filter(({ in: place, required }) => place === 'query' && !required)
  for (const { name } of optional) {
    const next = Object.hasOwn(CURSORS, name) ? find(CURSORS[name] ?? [], 'string') : undefined
    if (next !== undefined) return { by: 'cursor', items, parameter: name, next: childPointer('', next) }
  }
  const hasParameter = (name: string) => optional.some((one) => one.name === name)
  if (contract.resolveObject(members['next'])['format'] === 'uri') return { by: 'url', items, next: '/next' }
  const pages = find(PAGE_COUNTS, 'integer')
  if (hasParameter('page') && pages !== undefined)
    return { by: 'page', items, parameter: 'page', total: childPointer('', pages) }
  const total = find(ITEM_COUNTS, 'integer')
  if (hasParameter('offset') && hasParameter('limit') && total !== undefined)
    return { by: 'offset', items, parameter: 'offset', total: childPointer('', total) }
  return undefined
}
