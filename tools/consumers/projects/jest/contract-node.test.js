const { describeContract } = require('@concord/contract')

// Creates tests with jest's globals: one for each operation and status, and one that fails if no response was checked.
describeContract(require('../shared/mocked.cjs'))
