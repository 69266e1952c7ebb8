// Runs the program of the guide against a mock of its contract.
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import { serveMock } from '@concord/contract'

const mock = await serveMock({ spec: 'openapi.yaml', port: 0 })
const env = { ...process.env, BOOK_SHOP_BASE_URL: mock.url, BOOK_SHOP_TOKEN: 'secret' }
const { stdout } = await promisify(execFile)(process.env.CONCORD_NODE, ['main.ts'], { env })
console.log(stdout)
await mock.close()
