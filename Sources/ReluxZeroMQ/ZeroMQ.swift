import CZeroMQ
