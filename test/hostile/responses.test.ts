import { answersContract } from './responses-contract.ts'

answersContract()
