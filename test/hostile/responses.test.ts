import { responsesContract } from './responses-contract.ts'

responsesContract()
