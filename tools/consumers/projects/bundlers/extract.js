// Extraction alone, which opens no WebSockets.
import { ApiError, Extraction } from '@concord/extraction'

import { extract, served } from '../shared/flow.mjs'

extract({ Extraction, ApiError }, served().extraction, process.env.CONCORD_FILE).then(
  () => console.log('all good'),
  (error) => {
    console.error(error)
    process.exitCode = 1
  },
)
