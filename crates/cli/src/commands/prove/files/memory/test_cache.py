import unittest


class Expiry(unittest.TestCase):
    def test_expiry(self):
        self.assertIsNone(1)
