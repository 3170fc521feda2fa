"""What lies where in a collection or a cluster, and who may write to it?"""
