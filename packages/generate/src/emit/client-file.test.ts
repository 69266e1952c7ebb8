import { expect, it } from 'vitest'

import { documentOf, modelOf, testService } from '../../test/support/generated.ts'
import { apiFile } from './api-file.ts'
import { clientFile } from './client-file.ts'

const path = (tag: string, operation: object) => ({ get: { tags: [tag], ...operation } })

const document = documentOf({
  paths: {
    '/like': path('public', {
      operationId: 'like',
      summary: 'Likes a playlist.',
      security: [{ login: [] }],
      responses: {
        '200': { description: 'Yes.' },
        '400': { description: 'Is one of:\n* `a`: no\nplaylist\n* `b`: no track' },
      },
    }),
  },
  components: {
    securitySchemes: {
      login: {
        type: 'oauth2',
        flows: { clientCredentials: { tokenUrl: 'https://example.com/token', scopes: {} } },
      },
    },
  },
})

it('documentation ends sentences once, and keeps the items of lists on their own lines', async () => {
  const text = apiFile(await modelOf(document), testService)
  expect(text).toContain('   * Likes a playlist.\n')
  expect(text).toContain('status 400: Is one of:\n   *   * `a`: no playlist\n   *   * `b`: no track\n')
})

it('a class has members for tags that are words of the language, and an example with an access token', async () => {
  const model = await modelOf(document)
  const text = clientFile(model, { ...testService, className: 'Songs' })
  expect(text).toContain("  readonly public: Pick<TestApi, 'like'>\n")
  expect(text).toContain("login: () => 'an access token' }")
})
