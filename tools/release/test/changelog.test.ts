import { expect, it } from 'vitest'

import changelog from '../src/changelog.ts'

it('writes a changeset as one entry, with each paragraph on one line', async () => {
  const summary = 'Waits end\nat their deadline.\n\nNew:\n\n- one\n- two\n\n```ts\na()\n\nb()\n```'
  const line = await changelog.getReleaseLine({ summary })
  expect(line).toBe(
    '- Waits end at their deadline.\n\n  New:\n\n  - one\n  - two\n\n  ```ts\n  a()\n  \n  b()\n  ```\n',
  )
})

it('names the dependencies that were released together, once', async () => {
  const dependencies = [
    { name: '@concord/runtime', newVersion: '1.1.0' },
    { name: '@concord/specs', newVersion: '2.0.0' },
  ]
  expect(await changelog.getDependencyReleaseLine([{ summary: 'a' }, { summary: 'b' }], dependencies)).toBe(
    '- Uses `@concord/runtime` 1.1.0, `@concord/specs` 2.0.0.',
  )
  expect(await changelog.getDependencyReleaseLine([{ summary: 'a' }], [])).toBe('')
})

it('leaves out the comments that mark the list of the release plan', async () => {
  const summary =
    'Parcels have colors.\n\n<!-- npm run plan: parcels 0a1b2c3d seal 4e5f6a7b -->\n\n- Adds `color`.\n\n<!-- end of the list -->'

  const line = await changelog.getReleaseLine({ summary })

  expect(line).toBe('- Parcels have colors.\n\n  - Adds `color`.\n')
})
