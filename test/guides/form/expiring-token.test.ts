import { formContract } from '../../support/form-contract.ts'
import { expiringToken } from './expiring-token.ts'

formContract('expiringToken', () => expiringToken(async () => 'in-the-clear'), /^Bearer in-the-clear$/, [
  'in-the-clear',
])
