import type { StandardSchema } from '../../core/check.ts'
import type { OperationDescriptor } from '../../core/descriptors.ts'

// The operations of a fictional service, for the tests of this package.

export interface Item {
  readonly id: string
  readonly status: string
}

export interface GetItemInput {
  readonly path: { readonly item_id: string }
  readonly query?: { readonly page?: number; readonly tag?: readonly string[] }
}

export const item: Item = { id: 'a', status: 'done' }

export const input: GetItemInput = { path: { item_id: 'a' } }

const base = {
  id: 'getItem',
  method: 'GET',
  path: '/v1/items/{item_id}',
  server: 'api',
  security: ['key'],
  parameters: [
    { name: 'item_id', in: 'path', required: true },
    { name: 'page', in: 'query', required: false },
    { name: 'tag', in: 'query', required: false },
  ],
  responses: { 200: { kind: 'json', contentType: 'application/json', check: { schema: () => itemSchema } } },
  retry: { class: 'safe' },
  secrets: [],
} as const

export const getItem: OperationDescriptor<GetItemInput, Item, { 404: { detail: string } }> = base

export const listItems: OperationDescriptor<Record<never, never>, unknown> = {
  ...base,
  id: 'listItems',
  path: '/v1/items/',
  parameters: [],
  responses: { 200: { kind: 'json' } },
}

export const createItem: OperationDescriptor<{ readonly body: Record<string, unknown> }, Item> = {
  ...base,
  id: 'createItem',
  method: 'POST',
  path: '/v1/items',
  parameters: [],
  body: { kind: 'json', contentType: 'application/json', required: true },
  retry: { class: 'unsent-only', statuses: [503] },
}

export const exchangeCode: OperationDescriptor<{ readonly body: { readonly code: string } }, Item> = {
  ...base,
  method: 'POST',
  parameters: [],
  body: { kind: 'json', contentType: 'application/json', required: true },
  id: 'exchangeCode',
  path: '/v1/exchange',
  security: [],
  retry: { class: 'never' },
  secrets: ['code', 'token'],
}

export const uploadForm: OperationDescriptor<{ readonly body: object }, unknown> = {
  ...base,
  id: 'upload',
  method: 'POST',
  path: '/v1/upload',
  parameters: [],
  body: {
    kind: 'multipart',
    contentType: 'multipart/form-data',
    required: true,
    parts: {
      file: { kind: 'file', contentTypes: ['application/pdf', 'image/jpeg'] },
      note: { kind: 'text' },
      settings: { kind: 'json' },
    },
  },
  responses: { 200: { kind: 'json' } },
  retry: { class: 'unsent-only', statuses: [503] },
}

export const uploadBytes: typeof uploadForm = {
  ...uploadForm,
  body: { kind: 'binary', contentType: 'audio/wav', required: true },
}

/** Returns a Standard Schema for an object with these string fields. Other fields are allowed. */
export function textFields(...names: readonly string[]): StandardSchema {
  return {
    '~standard': {
      version: 1,
      vendor: 'fixture',
      validate(value) {
        if (typeof value !== 'object' || value === null) return { issues: [{ message: 'must be an object' }] }
        const issues = names
          .filter((name) => typeof (value as Record<string, unknown>)[name] !== 'string')
          .map((name) => ({ message: 'must be a string', path: [name] }))
        return issues.length > 0 ? { issues } : { value }
      },
    },
  }
}

export const itemSchema = textFields('id', 'status')

export const KEY = 'key-4f1f0d6c2a'

export function json(body: unknown, init: ResponseInit = {}): Response {
  return Response.json(body, init)
}

/** Returns the error that a promise rejects with. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
  } catch (error) {
    return error
  }
  throw new Error('The promise was not rejected.')
}
